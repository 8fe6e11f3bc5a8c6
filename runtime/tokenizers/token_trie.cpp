#include <fovea/runtime/tokenizers/token_trie.hpp>

#include <algorithm>

namespace fovea::core {
namespace {

using given_tokens = std::vector<std::pair<std::string_view, token_id>>;

/// A token by its first bytes as a number, by which most are told apart, its length and its place among those given.
struct ordered_token {
  std::uint64_t first_bytes = 0;
  std::uint32_t length, at;

  ordered_token(std::string_view text, std::size_t place)
      : length(static_cast<std::uint32_t>(text.size())), at(static_cast<std::uint32_t>(place)) {
    for (std::size_t i = 0; i < sizeof first_bytes; ++i)
      first_bytes = first_bytes << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0u);
  }
  char byte(std::size_t place, const given_tokens& given) const {
    constexpr std::size_t last = sizeof first_bytes - 1;
    return place <= last ? static_cast<char>(first_bytes >> 8 * (last - place)) : given[at].first[place];
  }
};

std::vector<ordered_token> in_order(const given_tokens& given) {
  std::vector<ordered_token> made;
  made.reserve(given.size());
  for (std::size_t i = 0; i < given.size(); ++i) made.emplace_back(given[i].first, i);
  std::sort(made.begin(), made.end(), [&](const ordered_token& a, const ordered_token& b) {
    return a.first_bytes != b.first_bytes ? a.first_bytes < b.first_bytes
                                          : given[a.at].first < given[b.at].first;
  });
  return made;
}

} // namespace

token_trie::token_trie(const given_tokens& given) {
  struct range { // of the sorted tokens that begin with what leads to a node
    std::uint32_t first, last;
  };
  const std::vector<ordered_token> tokens = in_order(given);
  std::vector<range> level, below;
  level.reserve(tokens.size() + 1), below.reserve(tokens.size() + 1);
  level.push_back({0, static_cast<std::uint32_t>(tokens.size())});
  std::size_t most = 1; // nodes; memory for those that there are not is never touched
  for (const ordered_token& token : tokens) most += token.length;
  bytes_.reserve(most), tokens_.reserve(most), children_.reserve(most + 1);
  bytes_.push_back(0);
  for (std::size_t length = 0; !level.empty(); ++length) {
    below.clear();
    for (auto [first, last] : level) {
      const bool ends = first < last && tokens[first].length == length;
      tokens_.push_back(ends ? given[tokens[first++].at].second : no_token);
      children_.push_back(static_cast<place>(bytes_.size()));
      while (first < last) {
        const char byte = tokens[first].byte(length, given);
        const auto begin = first;
        while (first < last && tokens[first].byte(length, given) == byte) ++first;
        bytes_.push_back(static_cast<unsigned char>(byte));
        below.push_back({begin, first});
      }
    }
    level.swap(below);
  }
  children_.push_back(static_cast<place>(bytes_.size()));
}

token_trie::place token_trie::next(place from, char byte) const {
  const auto *first = bytes_.data() + children_[from], *last = bytes_.data() + children_[from + 1];
  const auto found = std::lower_bound(first, last, static_cast<unsigned char>(byte));
  if (found == last || *found != static_cast<unsigned char>(byte)) return nowhere;
  return static_cast<place>(found - bytes_.data());
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
