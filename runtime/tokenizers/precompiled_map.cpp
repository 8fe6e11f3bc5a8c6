#include <fovea/runtime/tokenizers/precompiled_map.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/utf8.hpp>

#include <utf8proc.h>

#include <algorithm>
#include <cstring>

namespace fovea::core {
namespace {

/// A unit of the trie.
struct trie_unit {
  std::uint32_t bits;

  bool ends_key() const { return (bits >> 8 & 1) != 0; }
  std::uint32_t place() const { return bits & 0x7fffffffu; } // of the unit behind a key's last
  std::uint32_t label() const { return bits & 0x800000ffu; }
  std::uint32_t offset() const { return (bits >> 10) << ((bits & 0x200u) >> 6); }
};

/// The grapheme at byte `at`, as Unicode's standard annex 29 cuts.
std::string_view grapheme_at(std::string_view text, std::size_t at) {
  code_point previous = code_point_at(text, at);
  std::size_t end = at + previous.bytes;
  for (utf8proc_int32_t state = 0; end < text.size(); end += previous.bytes) {
    const code_point next = code_point_at(text, end);
    if (utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(previous.value),
                                         static_cast<utf8proc_int32_t>(next.value), &state))
      break;
    previous = next;
  }
  return text.substr(at, end - at);
}

} // namespace

precompiled_map::precompiled_map(std::string bytes) : bytes_(std::move(bytes)) {
  const auto refuse = [](const std::string& found) {
    throw error("precompiled_charsmap: expected SentencePiece's table; found " + found);
  };
  std::uint32_t size = 0;
  if (bytes_.size() < sizeof(size)) refuse(std::to_string(bytes_.size()) + " bytes");
  std::memcpy(&size, bytes_.data(), sizeof(size));
  if (size == 0 || size % sizeof(std::uint32_t) != 0 || size > bytes_.size() - sizeof(size))
    refuse("a trie of " + std::to_string(size) + " bytes in " + std::to_string(bytes_.size()));
  trie_.resize(size / sizeof(std::uint32_t));
  std::memcpy(trie_.data(), bytes_.data() + sizeof(size), size);
  replacements_ = sizeof(size) + size;
  try {
    check_utf8(replacements());
  } catch (const error&) {
    refuse("replacements that are not UTF-8");
  }
  // What a text may cost for each of its bytes is bounded by this.
  constexpr std::size_t longest_replacement = 1024;
  for (std::string_view rest = replacements(); !rest.empty();) {
    const std::size_t length = std::min(rest.find('\0'), rest.size());
    if (length > longest_replacement)
      refuse("a replacement of more than " + std::to_string(longest_replacement) + " bytes");
    rest.remove_prefix(std::min(length + 1, rest.size()));
  }
}

/// Calls take(place of the replacement, length of the key) for the keys that begin the text, the shortest
/// first, until it returns false.
template <typename function>
void precompiled_map::for_each_key(std::string_view text, const function& take) const {
  std::size_t at = trie_unit{trie_[0]}.offset();
  for (std::size_t length = 0; length < text.size();) {
    const auto byte = static_cast<unsigned char>(text[length++]);
    at ^= byte;
    if (byte == 0 || at >= trie_.size()) return;
    const trie_unit unit{trie_[at]};
    if (unit.label() != byte) return;
    at ^= unit.offset();
    if (!unit.ends_key() || at >= trie_.size()) continue;
    const std::size_t place = trie_unit{trie_[at]}.place();
    if (place >= replacements().size() || continues_code_point(replacements()[place])) return;
    if (!take(place, length)) return;
  }
}

std::string_view precompiled_map::replacement_at(std::size_t place) const {
  const std::string_view rest = replacements().substr(place);
  return rest.substr(0, rest.find('\0'));
}

std::optional<std::pair<std::string_view, std::size_t>>
precompiled_map::longest(std::string_view text) const {
  constexpr std::size_t longest_key = 1024;
  std::optional<std::pair<std::size_t, std::size_t>> found;
  for_each_key(text.substr(0, longest_key), [&](std::size_t place, std::size_t length) {
    found.emplace(place, length);
    return true;
  });
  if (!found) return std::nullopt;
  return std::pair(replacement_at(found->first), found->second);
}

/// False where no key begins the part.
bool precompiled_map::append_replaced(std::string_view part, std::string& result) const {
  bool found = false;
  for_each_key(part, [&](std::size_t place, std::size_t) {
    result += replacement_at(place);
    found = true;
    return false;
  });
  return found;
}

void precompiled_map::append(std::string_view text, std::string& result, std::size_t most) const {
  constexpr std::size_t longest_whole = 5; // bytes of a grapheme that is looked up as one
  for (std::size_t at = 0; at < text.size() && result.size() <= most;) {
    const std::string_view grapheme = grapheme_at(text, at);
    at += grapheme.size();
    if (grapheme.size() <= longest_whole && append_replaced(grapheme, result)) continue;
    for (std::size_t i = 0; i < grapheme.size() && result.size() <= most;) {
      const std::string_view one = grapheme.substr(i, code_point_at(grapheme, i).bytes);
      if (!append_replaced(one, result)) result += one;
      i += one.size();
    }
  }
}

namespace {

constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t bytes_of_group = 3, digits_of_group = 4, bits_of_digit = 6;

} // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += bytes_of_group) {
    std::uint32_t group = 0;
    const std::size_t count = std::min(bytes_of_group, bytes.size() - at);
    for (std::size_t i = 0; i < bytes_of_group; ++i)
      group = group << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    for (std::size_t i = 0; i < digits_of_group; ++i)
      text += i <= count ? digits[group >> (bits_of_digit * (digits_of_group - 1 - i)) & 63] : '=';
  }
  return text;
}

std::string from_base64(std::string_view text) {
  std::string bytes;
  std::uint32_t group = 0;
  std::size_t count = 0;
  const std::string_view value = text.substr(0, std::min(text.find('='), text.size()));
  for (const char c : value) {
    const std::size_t digit = digits.find(c);
    if (digit == std::string_view::npos) throw error(std::string("expected base64; found '") + c + "'");
    group = group << bits_of_digit | static_cast<std::uint32_t>(digit);
    if (++count % digits_of_group != 0) continue;
    for (const int shift : {16, 8, 0}) bytes += static_cast<char>(group >> shift & 0xffu);
    group = 0;
  }
  const std::size_t left = count % digits_of_group;
  if (text.size() % digits_of_group != 0 || text.size() - value.size() > 2 || left == 1)
    throw error("expected base64 of a length that 4 divides; found " + std::to_string(text.size()) +
                " characters");
  if (left > 0) group <<= bits_of_digit * (digits_of_group - left);
  for (std::size_t i = 1; i < left; ++i)
    bytes += static_cast<char>(group >> (8 * (bytes_of_group - i)) & 0xffu);
  return bytes;
}

} // namespace fovea::core
