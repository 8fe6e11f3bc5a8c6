#include <fovea/runtime/tokenizers/added_tokens.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/utf8.hpp>

#include <algorithm>
#include <utility>

namespace fovea::core {
namespace {

/// What a regular expression's \w matches: letters, marks, numbers, connectors.
bool is_word_character(std::uint32_t value) {
  return is_letter(value) || is_number(value) || is_nonspacing_mark(value) || value == '_';
}

bool stands_alone(std::string_view text, std::size_t begin, std::size_t end) {
  const bool word_before =
      begin > 0 && is_word_character(code_point_at(text, last_code_point(text.substr(0, begin))).value);
  const bool word_behind = end < text.size() && is_word_character(code_point_at(text, end).value);
  return !word_before && !word_behind;
}

} // namespace

added_tokens::added_tokens(std::vector<added_token> tokens) : tokens_(std::move(tokens)) {
  std::vector<std::pair<std::string_view, token_id>> spelt;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const std::string_view content = tokens_[i].content;
    if (content.size() > longest_walked_token)
      throw error("added token " + std::to_string(tokens_[i].id) + ": expected at most " +
                  std::to_string(longest_walked_token) + " bytes; found " + std::to_string(content.size()));
    spelt.emplace_back(content, static_cast<token_id>(i));
  }
  std::ranges::sort(spelt);
  const auto alike = std::ranges::unique(spelt, {}, [](const auto& entry) { return entry.first; });
  spelt.erase(alike.begin(), alike.end());
  trie_ = token_trie(spelt);
}

void added_tokens::split(std::string_view text, std::vector<part>& parts) const {
  std::size_t done = 0;
  for (std::size_t at = 0; at < text.size() && !tokens_.empty();) {
    const auto [place, length] = trie_.longest(text.substr(at));
    if (place == token_trie::no_token) {
      ++at;
      continue;
    }
    const added_token* found = &tokens_[static_cast<std::size_t>(place)];
    std::size_t begin = at, end = at + length;
    at = end;
    if (found->single_word && !stands_alone(text, begin, end)) continue;
    while (found->left_strip && begin > done) {
      const std::size_t before = last_code_point(text.substr(0, begin));
      if (!is_white_space(code_point_at(text, before).value)) break;
      begin = before;
    }
    while (found->right_strip && end < text.size() && is_white_space(code_point_at(text, end).value))
      end += code_point_at(text, end).bytes;
    if (begin > done) parts.push_back({text.substr(done, begin - done), std::nullopt});
    parts.push_back({text.substr(begin, end - begin), found->id});
    done = at = end;
  }
  if (done < text.size()) parts.push_back({text.substr(done), std::nullopt});
}

} // namespace fovea::core
