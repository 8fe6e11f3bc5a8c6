# The program fovea with each compiler, where it was built and where it is installed, and the language server over it.
set(tools_folder ${CMAKE_CURRENT_LIST_DIR})
string(TOUPPER "${CMAKE_BUILD_TYPE}" configuration)
foreach(compiler IN LISTS compilers)
  add_python_test(tools/shapes.${compiler} ${tools_folder}/shapes_test.py $<TARGET_FILE:fovea> ${compiler} ${include_folder})
endforeach()
set_tests_properties(tools/shapes.clang++-19 PROPERTIES LABELS full)
add_test(NAME tools/inspect COMMAND ${run_python} ${tools_folder}/inspect_test.py $<TARGET_FILE:fovea> ${CMAKE_CURRENT_SOURCE_DIR}/golden)

# What it compiles is linked with the library as it is built here.
separate_arguments(build_flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${configuration}}")
set(check_flags ${CMAKE_CXX_COMPILER} -std=c++20 -I${include_folder} ${build_flags})
add_python_test(tools/check ${tools_folder}/check_test.py $<TARGET_FILE:fovea> ${check_flags})
add_python_test(tools/packed ${tools_folder}/packed_test.py $<TARGET_FILE:fovea> ${check_flags})

# Projects around checkpoints: their texts and refusals, and for some their numbers; of all cases where the shared data is.
add_python_test(tools/new ${tools_folder}/new_test.py $<TARGET_FILE:fovea> ${CMAKE_CURRENT_SOURCE_DIR}/golden some ${check_flags})
if(FOVEA_SHARED)
  file(REAL_PATH ${FOVEA_SHARED} shared BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
  add_python_test(shared/new ${tools_folder}/new_test.py $<TARGET_FILE:fovea> ${shared}/golden all ${check_flags})
  set_tests_properties(shared/new PROPERTIES LABELS shared)
endif()

add_python_test(package/new ${tools_folder}/project_test.py ${package}/prefix ${CMAKE_CURRENT_SOURCE_DIR}/golden ${CMAKE_CXX_COMPILER})
set_tests_properties(package/new PROPERTIES LABELS "package;full" FIXTURES_REQUIRED installed)
add_test(NAME package/shapes COMMAND ${package}/prefix/bin/fovea shapes --all ${CMAKE_CURRENT_SOURCE_DIR}/package/uses_fovea.cpp --compiler g++ --
                                     -std=c++20 -I${package}/prefix/include)
set_tests_properties(package/shapes PROPERTIES LABELS package FIXTURES_REQUIRED installed PASS_REGULAR_EXPRESSION "input \"[a-z]+\" +\\[")

# Its parts need Python alone; the protocol needs packages of PyPI, which `make test` does without.
set(server_folder ${PROJECT_SOURCE_DIR}/tools/fovea_language_server)
add_python_test(tools/language_server_parts ${tools_folder}/language_server_parts_test.py ${server_folder})
set(environment ${PROJECT_BINARY_DIR}/editor-tools)
add_python_packages(tools/language_server.packages ${environment} editor_tools ${tools_folder}/requirements.txt)
add_test(NAME tools/language_server COMMAND ${environment}/bin/python -B -m pytest -q -p no:cacheprovider -o
                                            asyncio_default_fixture_loop_scope=function ${tools_folder}/test_language_server.py)
set_tests_properties(tools/language_server PROPERTIES LABELS full FIXTURES_REQUIRED editor_tools PROCESSORS 2 ENVIRONMENT
                     "FOVEA=$<TARGET_FILE:fovea>;FOVEA_COMPILER=g++;FOVEA_INCLUDE=${include_folder}")
add_python_test(tools/neovim ${tools_folder}/neovim_test.py ${environment}/bin/python $<TARGET_FILE:fovea> g++ ${include_folder})
set_tests_properties(tools/neovim PROPERTIES LABELS full FIXTURES_REQUIRED editor_tools)
