#include <fovea/runtime/tokenizers/added_tokens.hpp>

#include <fovea/runtime/tokenizers/utf8.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace fovea {
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

void added_tokens::add(added_token token) {
  auto& candidates = by_first_byte_[static_cast<unsigned char>(token.content.front())];
  const auto length = [this](std::size_t i) { return tokens_[i].content.size(); };
  candidates.insert(std::ranges::upper_bound(candidates, token.content.size(), std::greater<>(), length),
                    tokens_.size());
  tokens_.push_back(std::move(token));
}

const added_token* added_tokens::longest_at(std::string_view text, std::size_t at) const {
  for (const std::size_t i : by_first_byte_[static_cast<unsigned char>(text[at])])
    if (text.substr(at).starts_with(tokens_[i].content)) return &tokens_[i];
  return nullptr;
}

void added_tokens::split(std::string_view text, std::vector<part>& parts) const {
  std::size_t done = 0;
  for (std::size_t at = 0; at < text.size() && !tokens_.empty();) {
    const added_token* found = longest_at(text, at);
    if (!found) {
      ++at;
      continue;
    }
    std::size_t begin = at, end = at + found->content.size();
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

} // namespace fovea
