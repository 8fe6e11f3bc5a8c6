# What fovea_add_executable and fovea_add_library write as C++ of what they are told (programs/parts.hpp).

# The templates of sources, beside this file where it is installed.
set(fovea_library_folder "${CMAKE_CURRENT_LIST_DIR}/library")
if(NOT EXISTS "${fovea_library_folder}")
  set(fovea_library_folder "${CMAKE_CURRENT_LIST_DIR}/../library")
endif()

# fovea_built_file(CALLER OPTION part file EMBED): sets `part` to the C++ of a built_file, and adds to `embedded` and
# `files` what it takes to have it in the program.
function(fovea_built_file caller option part file embed)
  if(NOT file)
    if(embed AND option STREQUAL "WEIGHTS")
      message(FATAL_ERROR "${caller}: EMBED needs WEIGHTS, the file to embed")
    endif()
    set(${part} "{}" PARENT_SCOPE)
    return()
  endif()
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  if(NOT EXISTS "${file}")
    message(FATAL_ERROR "${caller}: expected ${option} to be a file, found nothing at '${file}'")
  endif()
  if(IS_DIRECTORY "${file}" AND embed)
    message(FATAL_ERROR "${caller}: EMBED needs ${option} to be a file, found the folder '${file}'")
  endif()
  fovea_quoted(quoted "${file}")
  if(NOT embed)
    set(${part} "{.path = ${quoted}}" PARENT_SCOPE)
    return()
  endif()
  # Beside the read-only data, on pages of its own: the system reads them as they are touched.
  string(
    APPEND embedded
    "
asm(R\"(.pushsection .rodata.fovea_${part}, \"a\"
.balign 4096
.global fovea_embedded_${part}
fovea_embedded_${part}:
.incbin ${quoted}
.global fovea_embedded_${part}_end
fovea_embedded_${part}_end:
.byte 0
.popsection)\");
extern \"C\" const std::byte fovea_embedded_${part}[], fovea_embedded_${part}_end[];
"
  )
  set(embedded "${embedded}" PARENT_SCOPE)
  set(files "${files};${file}" PARENT_SCOPE)
  set(${part} "{.path = ${quoted}, .bytes = {fovea_embedded_${part}, fovea_embedded_${part}_end}}" PARENT_SCOPE)
endfunction()

# fovea_quoted_list(RESULT LIST): the texts of the list of that name as strings of C++, each with a comma behind it.
function(fovea_quoted_list result list)
  set(all "")
  foreach(text IN LISTS ${list})
    fovea_quoted(text "${text}")
    string(APPEND all "${text}, ")
  endforeach()
  set(${result} "${all}" PARENT_SCOPE)
endfunction()

# fovea_numbers_by_name(CALLER OPTION RESULT list): the entries name=number of a list as pairs of C++, each with a comma
# behind it.
function(fovea_numbers_by_name caller option result list)
  set(all "")
  foreach(entry IN LISTS list)
    if(NOT entry MATCHES "^(.+)=([-+0-9.e]+)$")
      message(FATAL_ERROR "${caller}: expected ${option} as name=number, found '${entry}'")
    endif()
    fovea_quoted(key "${CMAKE_MATCH_1}")
    string(APPEND all "{${key}, ${CMAKE_MATCH_2}}, ")
  endforeach()
  set(${result} "${all}" PARENT_SCOPE)
endfunction()

# fovea_capacities(CALLER RESULT list): the entries dim=size of a list as capacities of C++.
function(fovea_capacities caller result list)
  fovea_numbers_by_name("${caller}" CAPACITY all "${list}")
  string(REPLACE "{\"" "{fovea::core::dim::symbol(\"" all "${all}")
  string(REPLACE "\", " "\"), " all "${all}")
  set(${result} "${all}" PARENT_SCOPE)
endfunction()
