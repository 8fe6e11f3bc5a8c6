# FOVEA_INSTRUCTION_SETS_HERE: those of the sets which the kernels are built for that this machine runs. A report of both is
# left for the end of a test run in instruction_sets.txt.
set(prints "")
foreach(set IN LISTS FOVEA_INSTRUCTION_SETS)
  fovea_isa_flags(${set} flags)
  list(FILTER flags INCLUDE REGEX "^-m")
  list(TRANSFORM flags REPLACE "-m(.*)" " && __builtin_cpu_supports(\"\\1\")")
  list(JOIN flags "" supported)
  string(APPEND prints "  if (true${supported}) std::printf(\"${set};\");\n")
endforeach()
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/instruction_sets.cpp "#include <cstdio>\nint main() {\n${prints}}\n")
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
