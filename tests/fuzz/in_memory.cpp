// Stands in the place of base/mapped_file.cpp: a file is the input that is run, and its path the
// one file that there is. To open, map and close a file takes longer than most inputs do. What is read behind
// the last byte is found here, where a page of a mapping would be read to its end.

#include "fuzzed.hpp"

#include <fovea/base/mapped_file.hpp>

#include <cstring>
#include <new>

namespace fovea::core {
namespace {

struct {
  const std::filesystem::path* path = nullptr;
  std::string_view bytes;
} held;

constexpr std::align_val_t as_a_line{64}; // all that readers take for granted of a page

} // namespace

const std::filesystem::path& fuzz::input_file::holding(std::string_view bytes) const {
  held = {&path_, bytes};
  return path_;
}

mapped_file::mapped_file(const std::filesystem::path& path, load_options) : copied_(!held.bytes.empty()) {
  if (held.path == nullptr || path != *held.path)
    throw error(path.string() + ": cannot open: there is no such file");
  if (!copied_) return;
  void* copy = ::operator new(held.bytes.size(), as_a_line);
  std::memcpy(copy, held.bytes.data(), held.bytes.size());
  bytes_ = {static_cast<const std::byte*>(copy), held.bytes.size()};
}

mapped_file::~mapped_file() {
  if (copied_) ::operator delete(const_cast<std::byte*>(bytes_.data()), as_a_line);
}

} // namespace fovea::core
