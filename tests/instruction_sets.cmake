# FOVEA_INSTRUCTION_SETS_HERE: the sets that kernels are built for and that this machine runs. A report is left for the end
# of a test run in instruction_sets.txt. Where nothing runs what is compiled, they are all, for their tests to be built.
set(lines "")
foreach(set IN LISTS FOVEA_INSTRUCTION_SETS)
  fovea_isa_support(${set} condition)
  string(APPEND lines "  if (${condition}) std::printf(\"${set};\");\n")
endforeach()
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/instruction_sets.cpp "#include <cstdio>\nint main() {\n  std::printf(\";\"); // behind what an emulator says\n${lines}}\n")
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  set(FOVEA_INSTRUCTION_SETS_HERE ${FOVEA_INSTRUCTION_SETS})
  return()
endif()
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
