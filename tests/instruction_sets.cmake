# FOVEA_INSTRUCTION_SETS: the sets the kernels are built for; FOVEA_INSTRUCTION_SETS_HERE: those of them that this
# machine runs. A report of both is left for the end of a test run in instruction_sets.txt.
set(FOVEA_INSTRUCTION_SETS baseline avx2 avx512)

file(
  WRITE ${CMAKE_CURRENT_BINARY_DIR}/instruction_sets.cpp
  [[
#include <cstdio>
int main() {
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("f16c");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl");
  std::printf("baseline%s%s", avx2 ? ";avx2" : "", avx512 ? ";avx512" : "");
}
]]
)
try_run(
  ran compiled ${CMAKE_CURRENT_BINARY_DIR} ${CMAKE_CURRENT_BINARY_DIR}/instruction_sets.cpp
  RUN_OUTPUT_VARIABLE FOVEA_INSTRUCTION_SETS_HERE
)
if(NOT compiled OR NOT ran EQUAL 0)
  message(FATAL_ERROR "Cannot find out which instruction sets this machine has")
endif()

set(report "Instruction sets:")
foreach(set IN LISTS FOVEA_INSTRUCTION_SETS)
  if(set IN_LIST FOVEA_INSTRUCTION_SETS_HERE)
    string(APPEND report " ${set} ran,")
  else()
    string(APPEND report " ${set} built but not run (this machine lacks it),")
  endif()
endforeach()
string(REGEX REPLACE ",$" "." report "${report}")
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/instruction_sets.txt "${report}\n")
