# How much of the library a program links: tests/size/*.cpp as a user would build them, stripped, and the most KB of each.

fovea_add_model(compiled_minilm HEADER fovea/models/bert.hpp MODEL "fovea::models::sentence_encoder<fovea::models::minilm>" ISA avx2)
# The most is of g++ 12; other compilers inline by other rules, and g++ 14 makes up to 6 % more of it.
set(of_most 100)
if(NOT (CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13))
  set(of_most 108)
endif()
function(add_size_test program most)
  math(EXPR most "${most} * ${of_most} / 100")
  add_executable(size_${program} size/${program}.cpp)
  fovea_own_target(size_${program})
  target_link_libraries(size_${program} PRIVATE fovea::fovea ${ARGN})
  add_test(NAME size/${program} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/check.py
           --strip ${CMAKE_STRIP} --most ${most} $<TARGET_FILE:size_${program}>)
endfunction()
# Attention has 2 KB in each set that read keys and values as a stream keeps them. What lets memory go that a checkpoint was
# read from has 4 KB, what packs weights that learn in bfloat16 2 KB, and what tells how steps fall into tasks and splits
# them for many threads 6 KB, with every set 12. What makes filters of tiles of any size has 1 KB more than for 3 x 3. The
# word and the constants of attention by integers have 60 bytes, with which another page begins. Files grow by pages of 4 KB.
add_size_test(minilm 886)
add_size_test(gpt2 806)
add_size_test(minilm_of_one_set 646 compiled_minilm)
add_size_test(minilm_q8_of_one_set 722 compiled_minilm)
add_size_test(gru 461)
