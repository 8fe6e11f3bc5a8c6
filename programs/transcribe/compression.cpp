#include "compression.hpp"

#include <zlib.h>

#include <new>
#include <vector>

namespace fovea::programs {

double compression_of(const std::string& text) {
  uLongf size = compressBound(static_cast<uLong>(text.size()));
  std::vector<Bytef> made(size);
  if (compress(made.data(), &size, reinterpret_cast<const Bytef*>(text.data()),
               static_cast<uLong>(text.size())) != Z_OK)
    throw std::bad_alloc(); // all that may go wrong where there is room for the result
  return static_cast<double>(text.size()) / static_cast<double>(size);
}

} // namespace fovea::programs
