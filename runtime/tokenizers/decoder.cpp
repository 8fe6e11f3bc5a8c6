#include <fovea/runtime/tokenizers/decoder.hpp>

#include <fovea/runtime/tokenizers/byte_level.hpp>

#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace fovea::core {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  std::size_t at = text.find(from), done = 0;
  if (at == std::string::npos) return;
  std::string result;
  for (; at != std::string::npos; at = text.find(from, done)) {
    result.append(text, done, at - done).append(to);
    done = at + from.size();
  }
  text = std::move(result.append(text, done));
}

/// The clean-up of Hugging Face's WordPiece decoder, in its order.
void clean_up(std::string& text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 11> rules{{{" .", "."},
                                                                                 {" ?", "?"},
                                                                                 {" !", "!"},
                                                                                 {" ,", ","},
                                                                                 {" ' ", "'"},
                                                                                 {" n't", "n't"},
                                                                                 {" 'm", "'m"},
                                                                                 {" do not", " don't"},
                                                                                 {" 's", "'s"},
                                                                                 {" 've", "'ve"},
                                                                                 {" 're", "'re"}}};
  for (const auto& [from, to] : rules) replace_all(text, from, to);
}

constexpr std::string_view fallback_front = "<0x", fallback_back = ">";

/// The byte of a token <0x41>.
std::optional<char> fallback_byte(std::string_view token) {
  if (token.size() != fallback_token(0).size() || !token.starts_with(fallback_front) ||
      !token.ends_with(fallback_back))
    return std::nullopt;
  const char* first = token.data() + fallback_front.size();
  const char* last = token.data() + token.size() - fallback_back.size();
  unsigned value = 0;
  constexpr int base = 16;
  if (std::from_chars(first, last, value, base).ptr != last) return std::nullopt;
  return static_cast<char>(value);
}

struct append_token {
  std::string_view token;
  bool first;
  std::string& bytes;

  bool operator()(const plain_decoder&) const {
    bytes += token;
    return true;
  }
  bool operator()(const space_decoder&) const {
    if (!first) bytes += ' ';
    bytes += token;
    return true;
  }
  bool operator()(const byte_level_decoder&) const {
    append_token_bytes(token, bytes);
    return true;
  }
  bool operator()(const word_piece_decoder& how) const {
    std::string piece(token);
    if (!first) {
      if (piece.starts_with(how.continuation))
        piece.erase(0, how.continuation.size());
      else
        piece.insert(0, " ");
    }
    if (how.clean_up) clean_up(piece);
    bytes += piece;
    return true;
  }
  bool operator()(const meta_space_decoder& how) const {
    using enum meta_space_decoder::leading;
    if (how.byte_fallback)
      if (const auto byte = fallback_byte(token)) {
        bytes += *byte;
        return true;
      }
    if (token == how.unknown) {
      bytes += how.unknown_text;
      return true;
    }
    std::string_view rest = token;
    if (first && how.front != kept)
      while (rest.starts_with(how.mark)) {
        rest.remove_prefix(how.mark.size());
        if (how.front != run) break;
      }
    std::string piece(rest);
    replace_all(piece, how.mark, " ");
    bytes += piece;
    return how.front != one_each || !piece.empty();
  }
};

} // namespace

bool append_decoded(const decoder& how, std::string_view token, bool first, std::string& bytes) {
  return std::visit(append_token{token, first, bytes}, how);
}

std::string fallback_token(unsigned char byte) {
  constexpr char digits[] = "0123456789ABCDEF";
  return std::string(fallback_front) + digits[byte >> 4] + digits[byte & 15] + std::string(fallback_back);
}

} // namespace fovea::core
