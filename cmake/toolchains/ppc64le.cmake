# 64-bit POWER, little-endian, which has no set of its own: the set `portable` runs on it.
set(triple powerpc64le-linux-gnu)
set(processor ppc64le)
include("${CMAKE_CURRENT_LIST_DIR}/debian.cmake")
