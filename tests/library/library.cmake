# Libraries for C of the tiny models of programs/: the test program uses both kinds, one in C uses them beside each other.
fovea_add_library(tiny_embedding HEADER programs/tiny.hpp MODEL tiny::embed ISA baseline CAPACITY B=3 T=8 METADATA heads=2 TOKENIZERS)
fovea_add_library(tiny_writing HEADER programs/tiny.hpp MODEL tiny::generate STREAM "fovea::dim{\"T\"}" ISA baseline CAPACITY B=2 T=8)
fovea_add_library(tiny_filtering HEADER programs/tiny.hpp MODEL tiny::stream STREAM "fovea::dim{\"T\"}" ISA baseline CAPACITY B=1 T=8 STATIC)
set(own _objects)
set(static _static)
if(WIN32) # where they are shared alone
  set(own "")
  set(static "")
endif()
foreach(library IN ITEMS embedding writing filtering)
  fovea_own_target(tiny_${library}${own})
  fovea_own_target(compiled_tiny_${library})
  add_dependencies(${program} tiny_${library} tiny_${library}${static}) # those that it doesn't use, for the files
endforeach()
target_link_libraries(${program} PRIVATE tiny_embedding tiny_writing${static} tiny_filtering)
target_compile_definitions(
  ${program} PRIVATE FOVEA_VERSION="${PROJECT_VERSION}" FOVEA_TINY_WORDS="${CMAKE_CURRENT_FUNCTION_LIST_DIR}/programs/words.json"
)
if(WIN32)
  include(${CMAKE_CURRENT_LIST_DIR}/windows.cmake)
else()
  add_test(
    NAME library/files
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/library/library_test.py ${PROJECT_BINARY_DIR} ${CMAKE_COMMAND} ${CMAKE_NM}
            $<TARGET_FILE:tiny_embed>
  )
endif()
add_dependencies(${program} tiny_embed)
set(environment FOVEA_ISA=baseline) # for both to run the same loops
