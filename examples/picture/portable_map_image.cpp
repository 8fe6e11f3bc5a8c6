#include "image_formats.hpp"

#include <fovea/base/error.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace picture {
namespace {

/// Takes the numbers of a header, between which white space and comments stand.
class header {
public:
  header(std::string_view bytes, const std::string& name) : rest_(bytes.substr(2)), name_(name) {}

  std::size_t next(const char* what) {
    while (!rest_.empty() && (is_space(rest_.front()) || rest_.front() == '#'))
      rest_.remove_prefix(rest_.front() == '#' ? std::min(rest_.find('\n'), rest_.size()) : 1);
    std::size_t value = 0;
    const auto [end, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (problem != std::errc())
      throw fovea::error(name_ + ": expected a number behind P5 or P6 that is its " + what);
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  /// What stands behind the one white space that ends it.
  std::string_view data() const { return rest_.substr(rest_.empty() ? 0 : 1); }

private:
  static bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

  std::string_view rest_;
  const std::string& name_;
};

} // namespace

image read_portable_map(const image_bytes& given) {
  const std::string& name = given.name;
  const std::size_t channels = given.bytes[1] == '6' ? 3 : 1;
  header from(given.bytes, name);
  image made{.width = from.next("width"), .height = from.next("height")};
  given.check_size(made.width, made.height);
  if (const std::size_t most = from.next("greatest value"); most != 255)
    throw fovea::error(name + ": expected values up to 255, found up to " + std::to_string(most));
  const std::size_t expected = channels * made.width * made.height;
  if (from.data().size() < expected)
    throw fovea::error(name + ": expected " + std::to_string(expected) + " bytes behind the header, found " +
                       std::to_string(from.data().size()));
  made.rgb.reserve(3 * made.width * made.height);
  for (const char value : from.data().substr(0, expected))
    made.rgb.insert(made.rgb.end(), 3 / channels, static_cast<std::uint8_t>(value));
  return made;
}

} // namespace picture
