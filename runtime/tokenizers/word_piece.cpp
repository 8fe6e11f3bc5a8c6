#include <fovea/runtime/tokenizers/word_piece.hpp>

#include <fovea/runtime/error.hpp>
#include <fovea/runtime/in_quotes.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace fovea {
namespace {

bool continues_code_point(char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u; }

} // namespace

word_piece::word_piece(const vocabulary& tokens, const std::string& unknown, std::string continuation,
                       std::size_t longest_word)
    : tokens_(tokens), continuation_(std::move(continuation)), longest_word_(longest_word) {
  const auto id = tokens.id(unknown);
  if (!id) throw error("the unknown token " + in_quotes(unknown) + " is not in the vocabulary");
  unknown_ = *id;
}

void word_piece::append(std::string_view word, std::vector<token_id>& ids) const {
  const std::size_t before = ids.size();
  const auto code_points = std::ranges::count_if(word, [](char c) { return !continues_code_point(c); });
  if (static_cast<std::size_t>(code_points) > longest_word_) {
    ids.push_back(unknown_);
    return;
  }
  std::string piece;
  for (std::size_t begin = 0; begin < word.size();) {
    piece.assign(begin == 0 ? "" : continuation_);
    const std::size_t prefix = piece.size();
    piece += word.substr(begin);
    std::optional<token_id> found;
    while (piece.size() > prefix && !(found = tokens_.id(piece))) {
      while (continues_code_point(piece.back())) piece.pop_back();
      piece.pop_back();
    }
    if (!found) {
      ids.resize(before);
      ids.push_back(unknown_);
      return;
    }
    ids.push_back(*found);
    begin += piece.size() - prefix;
  }
}

} // namespace fovea
