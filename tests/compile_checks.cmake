# Tests that call compilers or CMake themselves: ill-formed models, headers that stand alone, the package.
set(compilers g++ clang++-19)
set(include_folder ${PROJECT_SOURCE_DIR}/include)
set(run_python ${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1 ${Python3_EXECUTABLE})

# Each of these keeps two processors busy.
function(add_python_test name)
  add_test(NAME ${name} COMMAND ${run_python} ${ARGN})
  set_tests_properties(${name} PROPERTIES PROCESSORS 2 TIMEOUT 1200)
endfunction()

file(GLOB ill_formed CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/compile_fail/*.cpp)
foreach(mode IN ITEMS "g++ c++20" "clang++-19 c++20" "clang++-19 c++26")
  separate_arguments(mode)
  list(GET mode 0 compiler)
  list(GET mode 1 standard)
  set(name ${compiler}.${standard})
  add_python_test(compile_fail/harness.${name} ${CMAKE_CURRENT_SOURCE_DIR}/compile_fail/check_test.py ${compiler} ${standard})
  set(check_all compile_fail/models.${name} ${CMAKE_CURRENT_SOURCE_DIR}/compile_fail/check.py
      --compiler ${compiler} --standard ${standard} --include ${include_folder} ${ill_formed})
  if(name STREQUAL "clang++-19.c++20")
    list(APPEND check_all --no-twins)
  endif()
  add_python_test(${check_all})
endforeach()

add_python_test(compile_fail/numbers ${CMAKE_CURRENT_SOURCE_DIR}/compile_fail/numbers_test.py)

# C++26 gives the same sentences in another way: each run sees that it does, `make test-all` for every file. By clang++ each run
# sees the sentences alone: g++ compiles the twins, clang++ those of C++26.
set_tests_properties(compile_fail/models.clang++-19.c++26 PROPERTIES LABELS full)
list(POP_FRONT check_all)
add_python_test(compile_fail/some_models.clang++-19.c++26 ${check_all} --every 10)

# What is declared with dsl/ sees the standard library only. The code of the pages compiles.
foreach(compiler IN LISTS compilers)
  add_python_test(
    docs.${compiler} ${CMAKE_CURRENT_SOURCE_DIR}/docs/check.py
    --compiler ${compiler} --include ${include_folder} ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/docs
  )
  add_python_test(
    headers/dsl.${compiler} ${CMAKE_CURRENT_SOURCE_DIR}/headers/check.py
    --compiler ${compiler} --include ${include_folder} --forbid "/(xtensor|xsimd|boost)/|fovea/(base|weights|backends|runtime)/"
    dsl dsl.hpp models
  )
  # What names instructions compiles where they are, parts of dispatch.cpp in it, threads of WebAssembly there; all else
  # everywhere.
  add_python_test(
    headers/sets.${compiler} ${CMAKE_CURRENT_SOURCE_DIR}/headers/check.py
    --compiler ${compiler} --include ${include_folder} --flag=-march=sapphirerapids
    backends/simd/sets backends/simd/kernels/tile_product.hpp
  )
  add_python_test(
    headers/all.${compiler} ${CMAKE_CURRENT_SOURCE_DIR}/headers/check.py
    --compiler ${compiler} --include ${include_folder} --without "backends/simd/(sets|kernels/tile_product|isa/better_)|base/system/wasm/" base weights backends runtime mpi fovea.hpp decoding.hpp tokenizers.hpp
  )
  set_tests_properties(headers/all.${compiler} headers/sets.${compiler} PROPERTIES LABELS full)
  add_test(NAME headers/portable.${compiler} COMMAND ${compiler} -std=c++20 -E -DFOVEA_PORTABLE -DFOVEA_SET=portable -I${include_folder}
           ${PROJECT_SOURCE_DIR}/backends/simd/isa/set.cpp)
  set_tests_properties(headers/portable.${compiler} PROPERTIES FAIL_REGULAR_EXPRESSION "xsimd::|intrin.h|__m128|__builtin_(ia32|neon|wasm)")
  add_test(NAME headers/natural_names.${compiler} COMMAND ${compiler} -std=c++20 -fsyntax-only -DFOVEA_UNOPTIMISED
           -I${include_folder} ${CMAKE_CURRENT_SOURCE_DIR}/headers/natural_names.cpp)
  add_test(NAME headers/sanitised.${compiler} COMMAND ${compiler} -std=c++20 -fsyntax-only -DFOVEA_UNOPTIMISED -fsanitize=address,undefined
           -I${include_folder} ${CMAKE_CURRENT_SOURCE_DIR}/headers/sanitised.cpp)
  add_test(NAME headers/scope_dropped.${compiler} COMMAND ${compiler} -std=c++20 -fsyntax-only -DFOVEA_UNOPTIMISED
           -I${include_folder} ${CMAKE_CURRENT_SOURCE_DIR}/headers/scope_dropped.cpp)
  set_tests_properties(headers/scope_dropped.${compiler} PROPERTIES PASS_REGULAR_EXPRESSION "scope_dropped.cpp:8:.*nodiscard")
endforeach()

add_python_test(headers/folders ${CMAKE_CURRENT_SOURCE_DIR}/headers/folders.py ${PROJECT_SOURCE_DIR})
add_python_test(headers/systems ${CMAKE_CURRENT_SOURCE_DIR}/headers/systems.py ${PROJECT_SOURCE_DIR})
add_test(NAME cmake/kernel_sets COMMAND ${CMAKE_COMMAND} -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/kernel_sets.cmake)
add_python_test(cmake/settings ${CMAKE_CURRENT_SOURCE_DIR}/cmake/settings.py ${PROJECT_SOURCE_DIR})
add_python_test(cmake/install ${CMAKE_CURRENT_SOURCE_DIR}/cmake/install_test.py ${PROJECT_SOURCE_DIR}/cmake/install_dependencies.sh)

# What g++ has to do for a program stays what it was. The kept figures are of g++ 12 and the headers beside it.
add_python_test(compile_cost ${PROJECT_SOURCE_DIR}/bench/compile_cost.py --check)
add_python_test(bench/compare ${CMAKE_CURRENT_SOURCE_DIR}/bench/compare_test.py ${PROJECT_SOURCE_DIR}/bench)
add_python_test(bench/machine ${CMAKE_CURRENT_SOURCE_DIR}/bench/machine_test.py ${PROJECT_SOURCE_DIR}/bench)
add_python_test(bench/report ${CMAKE_CURRENT_SOURCE_DIR}/bench/report_test.py ${PROJECT_SOURCE_DIR}/bench)
execute_process(COMMAND g++ -dumpversion OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT version MATCHES "^12")
  set_tests_properties(compile_cost PROPERTIES DISABLED ON)
endif()

# Pages by clang++ are for `make test-all`.
set_tests_properties(docs.clang++-19 PROPERTIES LABELS full)

# The same small project takes the library installed, and as a subdirectory (which builds the library once more).
set(package ${CMAKE_CURRENT_BINARY_DIR}/package)
function(add_package_test name)
  add_test(
    NAME package/${name}
    COMMAND
      ${CMAKE_CTEST_COMMAND} --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/package ${package}/${name} --build-generator
      ${CMAKE_GENERATOR} --build-options -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
      ${ARGN} --test-command ${CMAKE_CTEST_COMMAND} --output-on-failure --no-tests=error
  )
  set_tests_properties(package/${name} PROPERTIES LABELS package TIMEOUT 1200 PROCESSORS 2)
endfunction()

add_test(NAME package/install COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${package}/prefix)
set_tests_properties(package/install PROPERTIES LABELS package FIXTURES_SETUP installed)
add_package_test(find_package -DCMAKE_PREFIX_PATH=${package}/prefix)
set_tests_properties(package/find_package PROPERTIES FIXTURES_REQUIRED installed)
add_package_test(add_subdirectory -DFOVEA_SOURCE=${PROJECT_SOURCE_DIR})
set_tests_properties(package/add_subdirectory PROPERTIES LABELS "package;full")

add_test(NAME package/refused COMMAND ${run_python} ${CMAKE_CURRENT_SOURCE_DIR}/package/refused_test.py ${package}/prefix)
set_tests_properties(package/refused PROPERTIES LABELS package FIXTURES_REQUIRED installed)

# What is compiled without optimisation says so, once and without failing: a file, and a project without a build type.
foreach(compiler IN LISTS compilers)
  set(unoptimised ${compiler} -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Werror -I${include_folder})
  list(APPEND unoptimised ${CMAKE_CURRENT_SOURCE_DIR}/package/uses_fovea.cpp)
  add_test(NAME package/unoptimised.${compiler} COMMAND ${unoptimised})
  set_tests_properties(package/unoptimised.${compiler} PROPERTIES
                       PASS_REGULAR_EXPRESSION "compiled without optimisation" FAIL_REGULAR_EXPRESSION "error:")
  foreach(quiet IN ITEMS -O1 -Og -DFOVEA_UNOPTIMISED)
    add_test(NAME package/unoptimised${quiet}.${compiler} COMMAND ${unoptimised} ${quiet})
    set_tests_properties(package/unoptimised${quiet}.${compiler} PROPERTIES FAIL_REGULAR_EXPRESSION "without optimisation")
  endforeach()
endforeach()
function(add_build_type_test name)
  add_test(
    NAME package/${name}
    COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_SOURCE_DIR}/package -B ${package}/${name} -G ${CMAKE_GENERATOR}
            -DCMAKE_PREFIX_PATH=${package}/prefix -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} ${ARGN}
  )
  set_tests_properties(package/${name} PROPERTIES LABELS package FIXTURES_REQUIRED installed)
endfunction()
add_build_type_test(no_build_type)
set_tests_properties(package/no_build_type PROPERTIES PASS_REGULAR_EXPRESSION "the project has no build type")
add_build_type_test(build_type -DCMAKE_BUILD_TYPE=Debug)
add_build_type_test(own_flags -DCMAKE_CXX_FLAGS=-O3)
add_build_type_test(wanted_unoptimised -DFOVEA_UNOPTIMISED=ON)
set_tests_properties(package/build_type package/own_flags package/wanted_unoptimised
                     PROPERTIES FAIL_REGULAR_EXPRESSION "build type")

include(package/tests.cmake)
if(TARGET fovea)
  include(tools/tools.cmake)
  include(library/python/python.cmake)
endif()
