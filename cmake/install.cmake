# The package: headers in real folders below include/fovea, the libraries, and what find_package(fovea) reads.
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development) # what cmake/package.cmake makes packages of
set(shared_folder ${CMAKE_INSTALL_DATADIR}/fovea)

foreach(folder IN ITEMS base dsl weights backends runtime models programs library)
  install(
    DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fovea
    FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h"
  )
endforeach()
file(GLOB gathering_headers ${PROJECT_SOURCE_DIR}/include/fovea/*.hpp)
install(FILES ${gathering_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fovea)

# All that declarations need in one header, for Compiler Explorer and the like.
file(GLOB_RECURSE declaring_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/dsl/*.hpp ${PROJECT_SOURCE_DIR}/models/*.hpp)
set(single_header ${PROJECT_BINARY_DIR}/fovea_dsl.hpp)
set(make_single_header ${PROJECT_SOURCE_DIR}/packaging/single_header.cmake)
add_custom_command(
  OUTPUT ${single_header}
  COMMAND ${CMAKE_COMMAND} -P ${make_single_header} ${single_header}
  DEPENDS ${make_single_header} ${PROJECT_SOURCE_DIR}/include/fovea/dsl.hpp ${declaring_headers}
)
add_custom_target(fovea_single_header ALL DEPENDS ${single_header})
install(FILES ${single_header} DESTINATION ${shared_folder})

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/fovea)
set_target_properties(fovea_kernels PROPERTIES EXPORT_NAME kernels)
install(TARGETS fovea_dsl fovea_kernels fovea_runtime fovea_fovea EXPORT fovea)
foreach(target IN ITEMS fovea_programs fovea_library fovea_serve fovea_transcribe)
  if(TARGET ${target})
    install(TARGETS ${target} EXPORT fovea)
  endif()
endforeach()
if(TARGET fovea_mpi) # apart, so that what does not ask for it finds no MPI
  install(FILES ${PROJECT_SOURCE_DIR}/mpi/mpi_group.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fovea/mpi)
  install(TARGETS fovea_mpi EXPORT fovea-mpi)
  install(EXPORT fovea-mpi NAMESPACE fovea:: FILE fovea-mpi-targets.cmake DESTINATION ${package_folder})
endif()
install(EXPORT fovea NAMESPACE fovea:: FILE fovea-targets.cmake DESTINATION ${package_folder})
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/fovea-config.cmake.in ${PROJECT_BINARY_DIR}/fovea-config.cmake
  INSTALL_DESTINATION ${package_folder}
)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/fovea-config-version.cmake COMPATIBILITY SameMinorVersion)
install(
  FILES ${PROJECT_BINARY_DIR}/fovea-config.cmake ${PROJECT_BINARY_DIR}/fovea-config-version.cmake
  DESTINATION ${package_folder}
)
install(
  FILES ${CMAKE_CURRENT_LIST_DIR}/fovea_add_executable.cmake ${CMAKE_CURRENT_LIST_DIR}/fovea_add_library.cmake
        ${CMAKE_CURRENT_LIST_DIR}/fovea_add_python_module.cmake
        ${CMAKE_CURRENT_LIST_DIR}/fovea_add_model.cmake ${CMAKE_CURRENT_LIST_DIR}/fovea_build_type.cmake
        ${CMAKE_CURRENT_LIST_DIR}/fovea_built_parts.cmake ${CMAKE_CURRENT_LIST_DIR}/fovea_for_libraries.cmake
        ${CMAKE_CURRENT_LIST_DIR}/fovea_link_dll.cmake ${CMAKE_CURRENT_LIST_DIR}/fovea_link_module.cmake ${CMAKE_CURRENT_LIST_DIR}/fovea_pack_weights.cmake
        ${CMAKE_CURRENT_LIST_DIR}/fovea_wasm_modules.cmake
        ${CMAKE_CURRENT_LIST_DIR}/own_symbols.cmake
        ${CMAKE_CURRENT_LIST_DIR}/fovea_isa_object.cmake ${CMAKE_CURRENT_LIST_DIR}/instruction_sets.cmake
        ${CMAKE_CURRENT_LIST_DIR}/Findutf8proc.cmake
  DESTINATION ${package_folder}
)

install(
  DIRECTORY ${PROJECT_SOURCE_DIR}/library DESTINATION ${package_folder}
  FILES_MATCHING PATTERN "*.in" PATTERN "types.h" PATTERN "*.mjs" PATTERN "*.mts"
)

# The program, which finds the headers beside itself, and what an editor takes.
if(FOVEA_TOOLS)
  set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)
  install(TARGETS fovea)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/words DESTINATION ${shared_folder})
  install(
    DIRECTORY ${PROJECT_SOURCE_DIR}/tools/fovea_language_server/ DESTINATION ${shared_folder}/language_server
    FILES_MATCHING PATTERN "*.py" PATTERN "requirements.txt"
  )
  install(FILES ${PROJECT_SOURCE_DIR}/tools/neovim/fovea.lua DESTINATION ${shared_folder}/neovim)
endif()
