# Debian's cross compiler for the Linux of FOVEA_PROCESSOR, such as aarch64; what it makes runs under emulation.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${FOVEA_PROCESSOR})
set(CMAKE_LIBRARY_ARCHITECTURE ${FOVEA_PROCESSOR}-linux-gnu)
set(CMAKE_C_COMPILER ${CMAKE_LIBRARY_ARCHITECTURE}-gcc)
set(CMAKE_CXX_COMPILER ${CMAKE_LIBRARY_ARCHITECTURE}-g++)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)

# Headers alone, which Debian packs for each processor: those of this machine do.
foreach(package IN ITEMS xtensor xsimd)
  file(GLOB ${package}_DIR /usr/lib/*/cmake/${package})
  list(GET ${package}_DIR 0 ${package}_DIR)
endforeach()
