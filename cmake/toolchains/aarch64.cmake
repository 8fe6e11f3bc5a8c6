# 64-bit ARM. The emulated processor has all that kernels are made for.
set(FOVEA_PROCESSOR aarch64)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -cpu max)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
