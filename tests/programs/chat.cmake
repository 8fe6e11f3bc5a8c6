# Conversations by templates beside tokenizers, and a program that has all that it needs of its own in it.
set(talk_folder ${CMAKE_CURRENT_BINARY_DIR}/talk)
configure_file(programs/words.json ${talk_folder}/tokenizer.json COPYONLY)
foreach(file IN ITEMS chat_template.jinja tokenizer_config.json)
  configure_file(programs/talk/${file} ${talk_folder}/${file} COPYONLY)
endforeach()
fovea_add_executable(
  tiny_talk HEADER programs/tiny.hpp MODEL tiny::generate APP generate ISA baseline EMBED CONTEXT 64 BEGIN "[CLS]" END "[SEP]"
  WEIGHTS programs/generate.safetensors TOKENIZER ${talk_folder}/tokenizer.json
)
fovea_own_target(tiny_talk)
fovea_own_target(tiny_talk_packer)
add_test(NAME programs/chat COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/chat_test.py $<TARGET_FILE:tiny_writer>
                                    $<TARGET_FILE:tiny_generate> $<TARGET_FILE:tiny_talk>)
