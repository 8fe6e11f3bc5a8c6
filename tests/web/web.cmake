# Models as modules for JavaScript, called by Node, and one as a program that Node runs.
fovea_add_library(tiny_bert HEADER web/models.hpp MODEL fovea::models::bert<web::tiny> CAPACITY B=3 T=10 TOKENIZERS)
fovea_add_library(tiny_gru HEADER web/models.hpp MODEL web::recurrent STREAM web::T CAPACITY B=2 T=6)
fovea_add_library(
  tiny_whole HEADER programs/tiny.hpp MODEL tiny::classify CAPACITY B=1 T=8 WEIGHTS programs/classify.safetensors EMBED METADATA heads=2
)
fovea_add_library(wide HEADER web/models.hpp MODEL web::wide STREAM web::T CAPACITY B=8 T=16)
foreach(module IN ITEMS tiny_bert tiny_gru tiny_whole wide)
  fovea_own_target(${module})
  fovea_own_target(compiled_${module})
endforeach()
include(programs/words.cmake)
fovea_add_executable(tiny_embed MODEL tiny::embed APP embed ${words_of_embed} HEADER programs/tiny.hpp CONTEXT 8 METADATA heads=2)
fovea_own_target(tiny_embed)
if(FOVEA_WASM_THREADS)
  add_executable(test_pool web/pool.cpp base/threads.cpp)
  set_test_options(test_pool)
  target_compile_definitions(test_pool PRIVATE CATCH_CONFIG_NO_POSIX_SIGNALS)
  target_link_libraries(test_pool PRIVATE fovea::kernels Catch2::Catch2)
  target_link_options(test_pool PRIVATE -mexec-model=reactor LINKER:--export=run_tests ${fovea_thread_exports})
  set(pool FOVEA_POOL=$<TARGET_FILE:test_pool>)
endif()
find_program(node node REQUIRED)
foreach(part IN ITEMS modules threads)
  add_test(NAME web/${part} COMMAND ${node} --no-incremental-marking --expose-gc --test ${CMAKE_CURRENT_LIST_DIR}/${part}_test.mjs)
endforeach()
if(NOT FOVEA_WASM_THREADS AND FOVEA_SIMD128) # once is enough, for it compiles Fovea
  add_test(NAME web/native COMMAND ${node} --no-incremental-marking --test ${CMAKE_CURRENT_LIST_DIR}/native_test.mjs)
  set_tests_properties(web/native PROPERTIES TIMEOUT 3600 PROCESSORS 2 ENVIRONMENT
                       "FOVEA_NATIVE=${CMAKE_CURRENT_LIST_DIR}/native;FOVEA_CROSS_PACKAGES=${FOVEA_CROSS_PACKAGES}")
endif()
find_program(tsc tsc REQUIRED)
configure_file(web/types.mts types.mts COPYONLY) # beside the modules
add_test(NAME web/types COMMAND ${tsc} --noEmit --strict --target es2022 --module nodenext --lib es2022,dom ${CMAKE_CURRENT_BINARY_DIR}/types.mts)
set_tests_properties(
  web/modules web/threads PROPERTIES ENVIRONMENT
  "${pool};FOVEA_RUN=${PROJECT_SOURCE_DIR}/cmake/toolchains/wasm/run.mjs;FOVEA_PROGRAM=$<TARGET_FILE:tiny_embed>;FOVEA_MODULES=${CMAKE_CURRENT_BINARY_DIR};FOVEA_GOLDEN=${CMAKE_CURRENT_SOURCE_DIR}/golden;FOVEA_WEIGHTS=${CMAKE_CURRENT_SOURCE_DIR}/programs/classify.safetensors")
