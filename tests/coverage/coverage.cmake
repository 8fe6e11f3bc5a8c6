# The build that counts lines and branches, by clang++. again.hpp, which it includes before each test, says how it sees what
# the compiler runs. Here the ill-formed models become a program, which says why it refuses each. Many of their files make
# one unit, each in a namespace of its own.

# These are no program: a static_assert refuses them, the compiler can run no declaration of theirs, or its own words tell.
set(not_models decode_what_looks_ahead dim_name_too_long model_calls_what_is_not_constexpr model_keeps_expr_in_static
    model_of_width_at_run_time function_of_std option_misspelt word_misspelt)
list(JOIN not_models "|" not_models)
file(GLOB ill_formed CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/compile_fail/*.cpp)
list(FILTER ill_formed EXCLUDE REGEX "/(${not_models})\\.cpp$")

set(units)
set(count 0)
foreach(file IN LISTS ill_formed)
  cmake_path(GET file STEM name)
  file(STRINGS ${file} headers REGEX "^#include")
  list(JOIN headers "\n" headers)
  math(EXPR unit "${count} / 40")
  math(EXPR count "${count} + 1")
  list(APPEND units ${unit})
  string(APPEND unit_${unit} "${headers}\nnamespace of_${name} {\n#include \"${file}\"\n}\n")
endforeach()
list(REMOVE_DUPLICATES units)
set(sources)
foreach(unit IN LISTS units)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/ill_formed/unit_${unit}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "${unit_${unit}}" @ONLY)
  list(APPEND sources ${source})
endforeach()
add_test_program(ill_formed ${sources})
target_compile_definitions(test_ill_formed PRIVATE ILL_FORMED)
target_compile_options(test_ill_formed PRIVATE -w)
