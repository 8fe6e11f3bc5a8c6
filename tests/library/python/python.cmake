# Modules of Python, with the library as it is installed and what PyPI has: `make test` does without.
set(python_folder ${CMAKE_CURRENT_LIST_DIR})
set(environment ${PROJECT_BINARY_DIR}/python-tools)
add_python_packages(library/python.packages ${environment} python_tools ${python_folder}/requirements.txt)

set(modules ${CMAKE_CURRENT_BINARY_DIR}/python_modules)
add_test(
  NAME library/python.build
  COMMAND sh -c "\"$0\" -S \"$1\" -B \"$2\" -D \"CMAKE_PREFIX_PATH=$3\" -D \"nanobind_ROOT=$(\"$4\" -m nanobind --cmake_dir)\" -D \"Python_EXECUTABLE=$4\" -D CMAKE_BUILD_TYPE=Release && \"$0\" --build \"$2\" -j 2"
          ${CMAKE_COMMAND} ${python_folder} ${modules} ${package}/prefix ${environment}/bin/python
)
set_tests_properties(
  library/python.build PROPERTIES LABELS full FIXTURES_REQUIRED "installed;python_tools" FIXTURES_SETUP python_modules TIMEOUT 1800 PROCESSORS 2
)
add_test(NAME library/python COMMAND ${environment}/bin/python -B ${python_folder}/modules_test.py ${modules} $<TARGET_FILE_DIR:tiny_embed>)
set_tests_properties(library/python PROPERTIES LABELS full FIXTURES_REQUIRED python_modules ENVIRONMENT FOVEA_ISA=baseline)
add_test(NAME library/python.project COMMAND ${environment}/bin/python -B ${python_folder}/project_test.py ${package}/prefix ${CMAKE_CURRENT_SOURCE_DIR}/golden
                                             ${package}/python_packages)
set_tests_properties(library/python.project PROPERTIES LABELS full FIXTURES_REQUIRED "installed;python_tools" TIMEOUT 1800 PROCESSORS 2)

# Actors of Ray Data with a net each, as docs/fleet.md has them.
set(ray ${PROJECT_BINARY_DIR}/ray-tools)
add_python_packages(library/ray.packages ${ray} ray_tools ${python_folder}/ray/requirements.txt)
add_test(NAME library/ray COMMAND ${ray}/bin/python -B ${CMAKE_CURRENT_SOURCE_DIR}/programs/fleet_page_test.py ${modules}/tiny_embed_python ray)
set_tests_properties(library/ray PROPERTIES LABELS full FIXTURES_REQUIRED "python_modules;ray_tools" PROCESSORS 2)
