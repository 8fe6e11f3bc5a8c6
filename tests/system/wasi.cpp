#include "system.hpp"

#include <cstdlib>
#include <limits>

namespace fovea::core::test {

std::size_t page() { return 4096; }

// WebAssembly protects no page: its programs run for their numbers, and native ones for the edges of their memory.
unsigned char* take_guarded_pages(std::size_t bytes) {
  return static_cast<unsigned char*>(std::aligned_alloc(page(), bytes));
}

void give_back_guarded_pages(unsigned char* pages, std::size_t) noexcept { std::free(pages); }

std::vector<irregular_file> irregular_files(const std::filesystem::path& folder) {
  return {{"/dev/zero", "a device"}, {folder, "a folder"}};
}

double greatest_angle() { return std::numeric_limits<double>::infinity(); }

} // namespace fovea::core::test
