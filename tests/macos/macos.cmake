# A program for macOS, which is linked here and not run.
include(programs/words.cmake)
fovea_add_executable(tiny_embed MODEL tiny::embed APP embed ${words_of_embed} HEADER programs/tiny.hpp CONTEXT 8 METADATA heads=2)
fovea_own_target(tiny_embed)
add_test(NAME macos/program COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/program_test.py ${CMAKE_OBJDUMP} $<TARGET_FILE:tiny_embed>
                                    ${CMAKE_SYSTEM_PROCESSOR})
