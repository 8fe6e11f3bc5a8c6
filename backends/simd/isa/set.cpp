// Every kernel, for the instruction set FOVEA_SET that the build names and gives the flags of.

#include "symbols.hpp"
#include <fovea/backends/simd/kernels/all.hpp>

#define FOVEA_TEXT_OF(set) #set
#define FOVEA_TEXT(set) FOVEA_TEXT_OF(set)

using namespace fovea::core::simd;

#define FOVEA_DEFINE(name, type)                                                                             \
  extern "C" constinit const type FOVEA_SYMBOL(name, FOVEA_SET) = kernels_of_set<FOVEA_SET>::name;
FOVEA_KERNELS(FOVEA_DEFINE)

extern "C" constinit const set_sizes FOVEA_SYMBOL(sizes, FOVEA_SET) = {FOVEA_TEXT(FOVEA_SET),
                                                                       width<FOVEA_SET>, panel<FOVEA_SET>};
