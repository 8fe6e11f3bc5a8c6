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
} input;

constexpr std::align_val_t as_a_line{64}; // all that readers take for granted of a page

std::span<const std::byte> copy_of(std::span<const std::byte> bytes) {
  if (bytes.empty()) return {};
  void* copy = ::operator new(bytes.size(), as_a_line);
  std::memcpy(copy, bytes.data(), bytes.size());
  return {static_cast<const std::byte*>(copy), bytes.size()};
}

} // namespace

const std::filesystem::path& fuzz::input_file::holding(std::string_view bytes) const {
  input = {&path_, bytes};
  return path_;
}

mapped_file::mapped_file(const file_path& path, load_options) : held_(held::copied) {
  if (input.path == nullptr || path.string() != input.path->string())
    throw error(path.string() + ": cannot open: there is no such file");
  bytes_ = copy_of(std::as_bytes(std::span(input.bytes)));
}

mapped_file::mapped_file(std::span<const std::byte> bytes, const file_path&, load_options)
    : held_(held::copied), bytes_(copy_of(bytes)) {}

mapped_file::~mapped_file() {
  if (held_ == held::copied) ::operator delete(const_cast<std::byte*>(bytes_.data()), as_a_line);
}

} // namespace fovea::core
