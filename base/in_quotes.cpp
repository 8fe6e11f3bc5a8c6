#include <fovea/base/in_quotes.hpp>

#include <fovea/base/utf8.hpp>

namespace fovea::core {

std::string shortened(std::string_view text, std::size_t most_bytes) {
  constexpr const char* digits = "0123456789abcdef";
  std::string_view kept = text.substr(0, most_bytes);
  if (kept.size() < text.size()) kept.remove_suffix(unfinished_bytes(kept));
  std::string result;
  for (const char c : utf8_or_replacement(kept)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f)
      result += c;
    else
      (result += "\\x") += {digits[byte / 16], digits[byte % 16]};
  }
  return kept.size() < text.size() ? result + "…" : result;
}

std::string in_quotes(std::string_view text) { return "'" + shortened(text) + "'"; }

} // namespace fovea::core
