# Settings for the targets that this project builds itself: where it is the top-level project, warnings are errors, and g++
# collects its garbage only behind a GiB, which saves most files a sixth of their time.
# clang++ sees libstdc++ 12 use its own deprecated get_temporary_buffer below std::stable_sort, and says so here.
function(fovea_own_target target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_compile_definitions(${target} PRIVATE $<$<CONFIG:Debug>:FOVEA_UNOPTIMISED>)
  if(PROJECT_IS_TOP_LEVEL)
    target_compile_options(
      ${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
                        $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
                        $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1048576>
    )
  endif()
endfunction()
