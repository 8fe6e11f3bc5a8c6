# 64-bit ARM. The emulated processor has all that qemu knows of, or is the one that QEMU_CPU names.
set(FOVEA_PROCESSOR aarch64)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
