#include <fovea/runtime/tokenizers/token_trie.hpp>

#include <algorithm>

namespace fovea::core {

token_trie::token_trie(std::vector<std::pair<std::string_view, token_id>> tokens) {
  struct range { // of the sorted tokens that begin with what leads to a node
    std::size_t first, last;
  };
  std::ranges::sort(tokens);
  std::vector<range> level{{0, tokens.size()}}, below;
  bytes_.push_back(0);
  for (std::size_t length = 0; !level.empty(); ++length) {
    below.clear();
    for (auto [first, last] : level) {
      const bool ends = first < last && tokens[first].first.size() == length;
      tokens_.push_back(ends ? tokens[first++].second : no_token);
      children_.push_back(static_cast<place>(bytes_.size()));
      while (first < last) {
        const char byte = tokens[first].first[length];
        const auto begin = first;
        while (first < last && tokens[first].first[length] == byte) ++first;
        bytes_.push_back(static_cast<unsigned char>(byte));
        below.push_back({begin, first});
      }
    }
    level.swap(below);
  }
  children_.push_back(static_cast<place>(bytes_.size()));
}

token_trie::place token_trie::next(place from, char byte) const {
  const auto first = bytes_.begin() + children_[from], last = bytes_.begin() + children_[from + 1];
  const auto found = std::lower_bound(first, last, static_cast<unsigned char>(byte));
  if (found == last || *found != static_cast<unsigned char>(byte)) return nowhere;
  return static_cast<place>(found - bytes_.begin());
}

token_trie::place token_trie::next(place from, std::string_view bytes) const {
  for (const char byte : bytes) {
    if (from == nowhere) break;
    from = next(from, byte);
  }
  return from;
}

std::pair<token_id, std::size_t> token_trie::longest(std::string_view text) const {
  std::pair<token_id, std::size_t> found{no_token, 0};
  place at = root;
  for (std::size_t length = 0; length < text.size();) {
    at = next(at, text[length++]);
    if (at == nowhere) break;
    if (token(at) != no_token) found = {token(at), length};
  }
  return found;
}

} // namespace fovea::core
