#include "system.hpp"

#include <windows.h>

namespace fovea::core::test {

std::size_t page() {
  SYSTEM_INFO about;
  ::GetSystemInfo(&about);
  return about.dwPageSize;
}

unsigned char* take_guarded_pages(std::size_t bytes) {
  void* const first = ::VirtualAlloc(nullptr, bytes + 2 * page(), MEM_RESERVE, PAGE_NOACCESS);
  if (first == nullptr) return nullptr;
  auto* const pages = static_cast<unsigned char*>(first) + page();
  if (::VirtualAlloc(pages, bytes, MEM_COMMIT, PAGE_READWRITE) != nullptr) return pages;
  ::VirtualFree(first, 0, MEM_RELEASE);
  return nullptr;
}

void give_back_guarded_pages(unsigned char* pages, std::size_t) noexcept {
  ::VirtualFree(pages - page(), 0, MEM_RELEASE);
}

std::vector<irregular_file> irregular_files(const std::filesystem::path& folder) {
  return {{"NUL", "a device"}, {folder, "a folder"}};
}

double greatest_angle() { return 1e4; } // MinGW-w64 has pi to 66 bits

} // namespace fovea::core::test
