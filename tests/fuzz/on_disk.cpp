// Inputs as files of their own, in memory that the system shows as a disk.

#include "fuzzed.hpp"

#include <unistd.h>

namespace fovea::core::fuzz {

const std::filesystem::path& input_file::holding(std::string_view bytes) const {
  require(ftruncate(descriptor_, 0) == 0);
  require(pwrite(descriptor_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  return path_;
}

} // namespace fovea::core::fuzz
