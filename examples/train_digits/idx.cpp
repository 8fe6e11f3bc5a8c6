#include "idx.hpp"

#include <fovea/base/error.hpp>
#include <fovea/base/regular_file.hpp>

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>

namespace train_digits {
namespace {

/// The content of an idx file of bytes whose axes behind the first, which counts, are given. Its header is
/// 0, 0, 8 for bytes, the number of axes, and the size of each as four bytes, the highest first.
std::vector<std::uint8_t> read_idx(const std::string& file, std::span<const std::size_t> axes) {
  const auto fail = [&](const std::string& what) -> void { throw fovea::error(file + ": " + what); };
  fovea::core::regular_file bytes(file);
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> in(gzdopen(bytes.file().descriptor(), "rb"), gzclose);
  if (!in) fail("cannot be read");
  bytes.release();
  const auto read = [&](std::span<std::uint8_t> to) {
    const int got = gzread(in.get(), to.data(), static_cast<unsigned>(to.size()));
    int status = Z_OK;
    const char* problem = gzerror(in.get(), &status);
    if (got < 0) fail(fmt::format("cannot be read: {}", status == Z_ERRNO ? "no file of bytes" : problem));
    return static_cast<std::size_t>(got);
  };
  std::vector<std::uint8_t> header(4 * (axes.size() + 2));
  const std::size_t got = read(header);
  const auto number = [&](std::size_t i) {
    std::size_t value = 0;
    for (std::size_t k = 4 * i; k < 4 * i + 4; ++k) value = value * 256 + header[k];
    return value;
  };
  const std::size_t magic = 0x800 + axes.size() + 1;
  if (got < 4 || number(0) != magic)
    fail(fmt::format("expected an idx file that begins with the number {}, found {}", magic,
                     got < 4 ? fmt::format("{} bytes", got) : std::to_string(number(0))));
  std::size_t each = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (number(i + 2) != axes[i])
      fail(fmt::format("expected axis {} to be {}, found {}", i + 1, axes[i], number(i + 2)));
    each *= axes[i];
  }
  const std::size_t expected = number(1) * each;
  std::vector<std::uint8_t> content;
  for (std::size_t more = 1; more > 0 && content.size() <= expected;) {
    constexpr std::size_t piece = 1 << 20;
    const std::size_t before = content.size();
    content.resize(before + piece);
    content.resize(before + (more = read(std::span(content).subspan(before))));
  }
  if (content.size() != expected)
    fail(fmt::format("expected {} bytes behind the header, found {}", expected,
                     content.size() < expected ? std::to_string(content.size()) : "more"));
  return content;
}

} // namespace

digits read_digits(const std::string& images, const std::string& labels) {
  digits made{.pixels = read_idx(images, std::array{side, side}), .labels = read_idx(labels, {})};
  if (made.pixels.size() != made.count() * side * side)
    throw fovea::error(fmt::format("{}: expected a label for each of {} images, found {}", labels,
                                   made.pixels.size() / (side * side), made.count()));
  for (std::size_t i = 0; i < made.count(); ++i)
    if (made.labels[i] > 9)
      throw fovea::error(
          fmt::format("{}: expected labels of 0 to 9, found {} at {}", labels, made.labels[i], i));
  return made;
}

} // namespace train_digits
