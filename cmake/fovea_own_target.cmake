# Settings for the targets that this project builds itself: where it is the top-level project, warnings are errors.
# clang++ sees libstdc++ 12 use its own deprecated get_temporary_buffer below std::stable_sort, and says so here.
function(fovea_own_target target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_compile_definitions(${target} PRIVATE $<$<CONFIG:Debug>:FOVEA_UNOPTIMISED>)
  if(PROJECT_IS_TOP_LEVEL)
    target_compile_options(
      ${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
                        $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
    )
  endif()
endfunction()
