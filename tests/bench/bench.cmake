# Of bench/, what counts the instructions of another processor.
add_test(NAME bench/arm_instructions COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/arm_instructions_test.py
                                             ${PROJECT_SOURCE_DIR}/bench ${CMAKE_C_COMPILER})
