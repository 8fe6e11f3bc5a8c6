# Libraries for C of the tiny models of programs/: the test program uses both kinds, one in C uses them beside each other.
enable_language(C)
fovea_add_library(tiny_embedding HEADER programs/tiny.hpp MODEL tiny::embed ISA baseline CAPACITY B=3 T=8 METADATA heads=2 TOKENIZERS)
fovea_add_library(tiny_writing HEADER programs/tiny.hpp MODEL tiny::generate STREAM "fovea::dim{\"T\"}" ISA baseline CAPACITY B=2 T=8)
fovea_add_library(tiny_filtering HEADER programs/tiny.hpp MODEL tiny::stream STREAM "fovea::dim{\"T\"}" ISA baseline CAPACITY B=1 T=8 STATIC)
foreach(library IN ITEMS embedding writing filtering)
  foreach(target IN ITEMS tiny_${library}_objects compiled_tiny_${library})
    fovea_own_target(${target})
  endforeach()
  add_dependencies(${program} tiny_${library} tiny_${library}_static) # those that it doesn't use, for the files
endforeach()
target_link_libraries(${program} PRIVATE tiny_embedding tiny_writing_static tiny_filtering)
target_compile_definitions(
  ${program} PRIVATE FOVEA_VERSION="${PROJECT_VERSION}" FOVEA_TINY_WORDS="${CMAKE_CURRENT_FUNCTION_LIST_DIR}/programs/words.json"
)
add_test(
  NAME library/files
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/library/library_test.py ${PROJECT_BINARY_DIR} ${CMAKE_COMMAND} ${CMAKE_NM}
          $<TARGET_FILE:tiny_embed>
)
add_dependencies(${program} tiny_embed)
set(environment FOVEA_ISA=baseline) # for both to run the same loops
