#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace fovea::core {

static_assert(std::endian::native == std::endian::little, "weight files are little-endian");

/// A size that a file states; the greatest that there is in place of one that no memory here could have.
inline std::size_t addressable(std::uint64_t size) {
  return static_cast<std::size_t>(std::min<std::uint64_t>(size, std::numeric_limits<std::size_t>::max()));
}
/// What a sentence says of bytes whose number is no std::size_t.
inline constexpr const char* too_many_bytes = sizeof(std::size_t) > 4 ? "more than 2^64" : "more than 2^32";

/// Reads a file's little-endian numbers and texts one after another. Throws fovea::error that names the file,
/// what was to be read and the byte where it would have begun, when the file ends before it does.
class byte_cursor {
public:
  byte_cursor(std::string source, std::span<const std::byte> file)
      : source_(std::move(source)), file_(file) {}

  template <typename number>
  requires std::is_arithmetic_v<number> number read(std::string_view what) {
    number value;
    std::memcpy(&value, take(sizeof(number), what).data(), sizeof(number));
    return value;
  }

  /// The next `size` bytes.
  std::span<const std::byte> take(std::size_t size, std::string_view what);
  std::string_view text(std::size_t size, std::string_view what) {
    const auto bytes = take(size, what);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  std::size_t position() const { return at_; }
  std::size_t left() const { return file_.size() - at_; }
  const std::string& source() const { return source_; }

  /// Throws fovea::error: the file's name, a colon and `what`.
  [[noreturn]] void fail(const std::string& what) const;

private:
  std::string source_;
  std::span<const std::byte> file_;
  std::size_t at_ = 0;
};

} // namespace fovea::core
