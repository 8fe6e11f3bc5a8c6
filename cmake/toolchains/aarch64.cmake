# Debian's cross compiler for 64-bit ARM Linux. What it makes runs under emulation, of a processor that has all that qemu
# knows of, or of the one that QEMU_CPU names.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)

# Headers alone, which Debian packs for each processor: those of this machine do.
foreach(package IN ITEMS xtensor xsimd)
  file(GLOB ${package}_DIR /usr/lib/*/cmake/${package})
  list(GET ${package}_DIR 0 ${package}_DIR)
endforeach()
