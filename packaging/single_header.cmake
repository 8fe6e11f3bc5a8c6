# Writes one header of <fovea/dsl.hpp> and the catalogue, with all that they include of Fovea:
#
#     cmake -P packaging/single_header.cmake fovea_dsl.hpp
#
# The standard library's headers are included once, at the top. Each file follows what it includes.

cmake_minimum_required(VERSION 3.25)

math(EXPR last "${CMAKE_ARGC} - 1")
set(made "${CMAKE_ARGV${last}}")
if(NOT CMAKE_ARGC EQUAL 4 OR NOT made MATCHES "\\.hpp$")
  message(FATAL_ERROR "expected cmake -P packaging/single_header.cmake HEADER.hpp, found '${made}' as the header to write")
endif()
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH root)

# What was taken, in order, and what that includes of the standard library.
set_property(GLOBAL PROPERTY taken "")
set_property(GLOBAL PROPERTY standard "")
set_property(GLOBAL PROPERTY texts "")

# Takes the header fovea/NAME after the headers that it includes.
function(take name)
  get_property(taken GLOBAL PROPERTY taken)
  if(name IN_LIST taken)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY taken ${name})
  file(READ "${root}/include/fovea/${name}" text)
  string(REGEX MATCHALL "#include <[^>]+>" includes "${text}")
  foreach(include IN LISTS includes)
    if(include MATCHES "<fovea/(.+)>")
      take(${CMAKE_MATCH_1})
    else()
      set_property(GLOBAL APPEND PROPERTY standard "${include}")
    endif()
  endforeach()
  string(REGEX REPLACE "#(pragma once|include <[^>]+>)\n" "" text "${text}")
  string(REGEX REPLACE "#ifdef [A-Z_]+\n#endif\n" "" text "${text}") # which held an include alone
  string(STRIP "${text}" text)
  string(REGEX REPLACE "\n\n\n+" "\n\n" text "${text}")
  if(text)
    set_property(GLOBAL APPEND_STRING PROPERTY texts "\n// ==== fovea/${name}\n\n${text}\n")
  endif()
endfunction()

take(dsl.hpp)
file(GLOB models RELATIVE "${root}/include/fovea" "${root}/include/fovea/models/*.hpp")
foreach(model IN LISTS models)
  take(${model})
endforeach()

file(STRINGS "${root}/CMakeLists.txt" version REGEX "^project\\(fovea VERSION ")
string(REGEX REPLACE ".*VERSION ([0-9.]+).*" "\\1" version "${version}")
file(READ "${root}/LICENSE" licence)
string(STRIP "${licence}" licence)
get_property(standard GLOBAL PROPERTY standard)
list(REMOVE_DUPLICATES standard)
list(SORT standard)
list(JOIN standard "\n" standard)
get_property(texts GLOBAL PROPERTY texts)
file(
  WRITE "${made}"
  "// Fovea ${version}, declarations and the catalogue of models in one header, made of <fovea/dsl.hpp> and <fovea/models/...>.
// It needs C++20 and the standard library. A program includes this header or those, not both.

/*
${licence}
*/

// Not #pragma once: compilers warn of that where Compiler Explorer puts this text into the program's own file.
#ifndef FOVEA_DSL_HPP
#define FOVEA_DSL_HPP

${standard}
${texts}
#endif
"
)
