# 64-bit POWER, little-endian, which has no set of its own: the set `portable` runs on it.
set(triple powerpc64le-linux-gnu)
set(processor ppc64le)

# qemu 7.2 does not run this processor's dynamic linker.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
include("${CMAKE_CURRENT_LIST_DIR}/debian.cmake")
