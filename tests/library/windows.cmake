# Libraries for Windows: what they show, and a program in C with two of them.
set(sources ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/library)
add_executable(embeds ${sources}/embeds.c)
target_link_libraries(embeds PRIVATE tiny_embedding tiny_filtering)
add_test(
  NAME library/files
  COMMAND ${Python3_EXECUTABLE} -B ${sources}/windows_test.py ${CMAKE_OBJDUMP} $<TARGET_FILE:embeds> ${CMAKE_CROSSCOMPILING_EMULATOR}
)
