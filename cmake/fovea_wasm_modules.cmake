# What fovea_add_library(... WASM) makes in a project for this machine. One project for WebAssembly, in fovea_wasm/ of the build,
# compiles Fovea once for all modules; its first build makes what the compiler for WebAssembly lacks.

set(fovea_wasm_source "${CMAKE_CURRENT_LIST_DIR}/.." CACHE INTERNAL "")

# fovea_wasm_module(): the target NAME_wasm, which is NAME.wasm, NAME.mjs and NAME.d.mts in the folder of the build that belongs to the
# caller's. From what stands in the variables of fovea_add_library.
function(fovea_wasm_module)
  if(NOT EXISTS "${fovea_wasm_source}/cmake/toolchains/wasm.cmake")
    message(FATAL_ERROR "${caller}: WASM needs Fovea's source, which an installed package lacks: take the clone by add_subdirectory in place of find_package")
  endif()
  set(project "${CMAKE_BINARY_DIR}/fovea_wasm")
  get_property(modules GLOBAL PROPERTY fovea_wasm_modules)
  if(modules)
    get_property(before GLOBAL PROPERTY fovea_wasm_last)
  else()
    fovea_wasm_project("${project}")
    set(before fovea_wasm)
  endif()

  # Without a native set, and without what libraries for C alone have.
  set(call "fovea_add_library(${name}")
  if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${arg_HEADER}")
    set(arg_HEADER "${CMAKE_CURRENT_SOURCE_DIR}/${arg_HEADER}")
  endif()
  if(arg_WEIGHTS)
    cmake_path(ABSOLUTE_PATH arg_WEIGHTS BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  endif()
  foreach(option IN ITEMS HEADER MODEL STREAM CAPACITY WEIGHTS FORMAT METADATA)
    if(arg_${option})
      list(TRANSFORM arg_${option} REPLACE "(.+)" "[==[\\1]==]" OUTPUT_VARIABLE values)
      list(JOIN values " " values)
      string(APPEND call " ${option} ${values}")
    endif()
  endforeach()
  foreach(flag IN ITEMS EMBED TOKENIZERS)
    if(arg_${flag})
      string(APPEND call " ${flag}")
    endif()
  endforeach()
  get_directory_property(included INCLUDE_DIRECTORIES)
  set_property(GLOBAL APPEND_STRING PROPERTY fovea_wasm_modules "set_property(DIRECTORY PROPERTY INCLUDE_DIRECTORIES [==[${included}]==])\n${call})\n")
  set_property(GLOBAL PROPERTY fovea_wasm_last ${name}_wasm)

  cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
  add_custom_target(
    ${name}_wasm ALL
    COMMAND "${CMAKE_COMMAND}" --build "${project}/build" --target ${name} --parallel ${cores}
    COMMAND "${CMAKE_COMMAND}" --install "${project}/build" --component ${name} --prefix "${CMAKE_CURRENT_BINARY_DIR}"
    COMMENT "Making ${name}.wasm"
    VERBATIM USES_TERMINAL
  )
  add_dependencies(${name}_wasm ${before}) # one at a time, for they share a build
endfunction()

# The target fovea_wasm, which configures the project of all modules.
function(fovea_wasm_project project)
  cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY [==[${CMAKE_SOURCE_DIR}]==] CALL fovea_write_wasm_project [==[${project}]==])")
  set(packages "${project}/packages")
  if(FOVEA_CROSS_PACKAGES)
    set(packages "${FOVEA_CROSS_PACKAGES}")
  endif()
  set(settings "")
  foreach(setting IN ITEMS FOVEA_SIMD128 FOVEA_WASM_THREADS)
    if(DEFINED ${setting})
      list(APPEND settings "-D${setting}=${${setting}}")
    endif()
  endforeach()
  add_custom_command(
    OUTPUT "${project}/build/configured"
    COMMAND "${fovea_wasm_source}/cmake/cross_packages.sh" wasm "${packages}"
    COMMAND "${CMAKE_COMMAND}" --fresh -G "${CMAKE_GENERATOR}" -S "${project}" -B "${project}/build" -D CMAKE_BUILD_TYPE=MinSizeRel
            "-DCMAKE_TOOLCHAIN_FILE=${fovea_wasm_source}/cmake/toolchains/wasm.cmake" "-DFOVEA_CROSS_PACKAGES=${packages}" ${settings}
    COMMAND "${CMAKE_COMMAND}" -E touch "${project}/build/configured"
    DEPENDS "${project}/CMakeLists.txt"
    COMMENT "Configuring the modules for WebAssembly"
    VERBATIM USES_TERMINAL
  )
  add_custom_target(fovea_wasm DEPENDS "${project}/build/configured")
endfunction()

# When the project above has declared all of its modules.
function(fovea_write_wasm_project project)
  get_property(modules GLOBAL PROPERTY fovea_wasm_modules)
  file(CONFIGURE OUTPUT "${project}/CMakeLists.txt" @ONLY CONTENT [[
cmake_minimum_required(VERSION 3.25)
project(fovea_wasm CXX)
set(CMAKE_CXX_STANDARD 20)
add_subdirectory("@fovea_wasm_source@" fovea EXCLUDE_FROM_ALL)
@modules@]])
endfunction()
