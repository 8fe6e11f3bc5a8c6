#include "system.hpp"

#include <limits>
#include <stdexcept>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fovea::core::test {

std::size_t page() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

unsigned char* take_guarded_pages(std::size_t bytes) {
  const std::size_t all = bytes + 2 * page();
  void* const first = mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (first == MAP_FAILED) return nullptr;
  auto* const pages = static_cast<unsigned char*>(first) + page();
  if (mprotect(pages, bytes, PROT_READ | PROT_WRITE) == 0) return pages;
  munmap(first, all);
  return nullptr;
}

void give_back_guarded_pages(unsigned char* pages, std::size_t bytes) noexcept {
  munmap(pages - page(), bytes + 2 * page());
}

std::vector<irregular_file> irregular_files(const std::filesystem::path& folder) {
  const std::filesystem::path pipe = folder / "pipe";
  if (mkfifo(pipe.c_str(), 0600) != 0) throw std::runtime_error("cannot create a pipe");
  return {{pipe, "a pipe"}, {"/dev/zero", "a device"}, {folder, "a folder"}};
}

double greatest_angle() { return std::numeric_limits<double>::infinity(); }

} // namespace fovea::core::test
