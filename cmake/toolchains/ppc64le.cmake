# 64-bit PowerPC, for which there are no kernels of its own: the set `portable` runs there.
set(FOVEA_PROCESSOR powerpc64le)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-ppc64le)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
