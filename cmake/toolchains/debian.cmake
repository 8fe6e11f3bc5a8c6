# Debian's cross compiler for another processor's Linux, of the triple `triple` and the name `processor`, included by the files beside
# this. What it makes runs under emulation, of a processor that has all that qemu knows of, or of the one that QEMU_CPU names.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${processor})
set(CMAKE_LIBRARY_ARCHITECTURE ${triple})
set(CMAKE_C_COMPILER ${triple}-gcc)
set(CMAKE_CXX_COMPILER ${triple}-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${processor})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)

# Headers alone, which Debian packs for each processor: those of this machine do.
foreach(package IN ITEMS xtensor xsimd)
  file(GLOB ${package}_DIR /usr/lib/*/cmake/${package} /usr/share/cmake/${package})
  list(GET ${package}_DIR 0 ${package}_DIR)
endforeach()
