# What `cpack` makes of the installation: the Debian packages libfovea-dev and fovea (-G DEB), and one archive (-G TGZ).
set(packages libfovea-dev)
set(CPACK_COMPONENTS_ALL development)
if(FOVEA_TOOLS)
  list(APPEND packages fovea)
  list(APPEND CPACK_COMPONENTS_ALL program)
endif()

# The licence goes with every copy.
foreach(package component IN ZIP_LISTS packages CPACK_COMPONENTS_ALL)
  install(
    FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} RENAME copyright
    COMPONENT ${component}
  )
endforeach()

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_CONTACT "The Fovea authors")
set(CPACK_PACKAGE_VENDOR "The Fovea authors")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# What find_package(fovea) and the headers need (names of cmake/dependencies.txt), then what compiles, and what APP serve and APP transcribe link.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libfovea-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libboost-dev (>= 1.74), libxtensor-dev (>= 0.24), libxsimd-dev (>= 8.1), nlohmann-json3-dev (>= 3), libutf8proc-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "g++ (>= 4:12) | clang-19, cmake (>= 3.25), libcpp-httplib-dev, libsndfile1-dev, libsamplerate0-dev, zlib1g-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "libopenmpi-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "Headers, static libraries and CMake's files. A model is declared in C++;
the compiler checks its shapes and makes fused SIMD loops of it.")

# The program compiles files of its user, for which it needs the headers.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME fovea)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "libfovea-dev (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "python3-venv, neovim")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
    "The program fovea shows shapes, looks into weight files, checks models
against them, and begins projects. Its language server shows shapes in an
editor.")

include(CPack)
