# The package: headers in real folders below include/fovea, the libraries, and what find_package(fovea) reads.
include(CMakePackageConfigHelpers)

foreach(folder IN ITEMS base dsl weights backends runtime models programs)
  install(
    DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fovea
    FILES_MATCHING PATTERN "*.hpp"
  )
endforeach()
file(GLOB gathering_headers ${PROJECT_SOURCE_DIR}/include/fovea/*.hpp)
install(FILES ${gathering_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fovea)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/fovea)
set_target_properties(fovea_kernels PROPERTIES EXPORT_NAME kernels)
install(TARGETS fovea_dsl fovea_kernels fovea_runtime fovea_fovea fovea_programs EXPORT fovea)
if(TARGET fovea_serve)
  install(TARGETS fovea_serve EXPORT fovea)
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
  FILES ${CMAKE_CURRENT_LIST_DIR}/fovea_add_executable.cmake ${CMAKE_CURRENT_LIST_DIR}/fovea_add_model.cmake ${CMAKE_CURRENT_LIST_DIR}/fovea_build_type.cmake
        ${CMAKE_CURRENT_LIST_DIR}/fovea_isa_object.cmake ${CMAKE_CURRENT_LIST_DIR}/instruction_sets.cmake
  DESTINATION ${package_folder}
)

# The program, which finds the headers beside itself, and what an editor takes.
if(FOVEA_TOOLS)
  install(TARGETS fovea)
  set(shared_folder ${CMAKE_INSTALL_DATADIR}/fovea)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/words DESTINATION ${shared_folder})
  install(
    DIRECTORY ${PROJECT_SOURCE_DIR}/tools/fovea_language_server/ DESTINATION ${shared_folder}/language_server
    FILES_MATCHING PATTERN "*.py" PATTERN "requirements.txt"
  )
  install(FILES ${PROJECT_SOURCE_DIR}/tools/neovim/fovea.lua DESTINATION ${shared_folder}/neovim)
endif()
