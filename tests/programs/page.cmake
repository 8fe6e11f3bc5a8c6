# The pages of servers in Chromium, and a server on trained weights.
set(environment ${PROJECT_BINARY_DIR}/page-tools)
set(page_folder ${CMAKE_CURRENT_LIST_DIR})
add_python_packages(programs/page.packages ${environment} page_tools ${page_folder}/requirements.txt)
add_test(NAME programs/page COMMAND ${environment}/bin/python -B ${page_folder}/page_test.py $<TARGET_FILE:tiny_writer>
                                    $<TARGET_FILE:tiny_embedder> ${CMAKE_CURRENT_BINARY_DIR}/pages)
set_tests_properties(programs/page PROPERTIES LABELS full FIXTURES_REQUIRED page_tools TIMEOUT 600)

if(FOVEA_SHARED AND TARGET serve_stories260K AND TARGET generate_stories260K)
  file(REAL_PATH ${FOVEA_SHARED} shared BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
  add_test(NAME shared/serve COMMAND ${Python3_EXECUTABLE} -B ${page_folder}/../shared/serve_test.py $<TARGET_FILE:serve_stories260K>
                                     $<TARGET_FILE:generate_stories260K> ${shared}/data/stories260K)
  set_tests_properties(shared/serve PROPERTIES LABELS shared TIMEOUT 600)
endif()
