# What others make packages of, after the tests of compile_checks.cmake: one header, Debian's packages, recipes.
set(package_folder ${CMAKE_CURRENT_LIST_DIR})

foreach(compiler IN LISTS compilers)
  add_python_test(package/single_header.${compiler} ${package_folder}/single_header_test.py ${compiler} 90)
  add_python_test(package/single_header_messages.${compiler} ${package_folder}/single_header_test.py ${compiler} 8)
  set_tests_properties(package/single_header.${compiler} PROPERTIES LABELS package)
  set_tests_properties(package/single_header_messages.${compiler} PROPERTIES LABELS "package;full")
endforeach()

# Debug information names folders of this machine, which no package may.
if(FOVEA_TOOLS AND CMAKE_BUILD_TYPE STREQUAL Release)
  add_test(NAME package/debian COMMAND ${run_python} ${package_folder}/debian_test.py ${PROJECT_BINARY_DIR} ${package}/debian)
  set_tests_properties(package/debian PROPERTIES LABELS package FIXTURES_SETUP unpacked)
  add_package_test(debian_consumer -DCMAKE_PREFIX_PATH=${package}/debian/root/usr)
  set_tests_properties(package/debian_consumer PROPERTIES LABELS "package;full" FIXTURES_REQUIRED unpacked)
endif()

# These compile the library once more. What is fetched is this tree as it is, not its last commit.
add_package_test(fetch_content -DFOVEA_REPOSITORY=${PROJECT_SOURCE_DIR} -DFETCHCONTENT_SOURCE_DIR_FOVEA=${PROJECT_SOURCE_DIR})
set_tests_properties(package/fetch_content PROPERTIES LABELS "package;full")

add_test(NAME package/recipes COMMAND ${run_python} ${package_folder}/recipes_test.py)
set_tests_properties(package/recipes PROPERTIES LABELS package)

set(conan ${package}/conan)
add_python_packages(package/conan.packages ${conan}/tools conan_tools ${package_folder}/requirements.txt)
add_test(
  NAME package/conan
  COMMAND ${CMAKE_COMMAND} -E env CONAN_HOME=${conan}/home ${conan}/tools/bin/conan create ${PROJECT_SOURCE_DIR}/packaging/conan
          --profile:all ${PROJECT_SOURCE_DIR}/packaging/conan/debian12.profile --no-remote -c tools.build:jobs=2
          -c tools.cmake.cmake_layout:test_folder=${conan}/consumer
)
set_tests_properties(package/conan PROPERTIES LABELS "package;full" TIMEOUT 1800 PROCESSORS 2 FIXTURES_REQUIRED conan_tools)
