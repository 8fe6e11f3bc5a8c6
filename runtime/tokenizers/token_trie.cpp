#include <fovea/runtime/tokenizers/token_trie.hpp>

#include <fovea/base/error.hpp>

#include <algorithm>
#include <string>

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
  std::vector<unsigned char> bytes;
  std::vector<place> children;
  std::vector<token_id> ids;
  bytes.reserve(most), ids.reserve(most), children.reserve(most + 1);
  bytes.push_back(0);
  for (std::size_t length = 0; !level.empty(); ++length) {
    below.clear();
    for (auto [first, last] : level) {
      const bool ends = first < last && tokens[first].length == length;
      ids.push_back(ends ? given[tokens[first++].at].second : no_token);
      children.push_back(static_cast<place>(bytes.size()));
      while (first < last) {
        const char byte = tokens[first].byte(length, given);
        const auto begin = first;
        while (first < last && tokens[first].byte(length, given) == byte) ++first;
        bytes.push_back(static_cast<unsigned char>(byte));
        below.push_back({begin, first});
      }
    }
    level.swap(below);
  }
  children.push_back(static_cast<place>(bytes.size()));
  bytes_ = std::move(bytes), children_ = std::move(children), tokens_ = std::move(ids);
}

token_trie::token_trie(const tables& lying, std::size_t end)
    : bytes_(lying.bytes), children_(lying.children), tokens_(lying.tokens) {
  const std::size_t nodes = bytes_.size();
  if (nodes == 0 || tokens_.size() != nodes || children_.size() != nodes + 1)
    throw error(
        "the trie: expected a token and a first child for each of its nodes, and one child more; found " +
        std::to_string(nodes) + " nodes, " + std::to_string(tokens_.size()) + " tokens and " +
        std::to_string(children_.size()) + " children");
  for (std::size_t at = 0; at < nodes; ++at)
    if (children_[at] <= at || children_[at] > children_[at + 1])
      throw error("the trie: expected the children of node " + std::to_string(at) +
                  " behind it and in order; found " + std::to_string(children_[at]) + " to " +
                  std::to_string(children_[at + 1]));
  if (children_[nodes] != nodes)
    throw error("the trie: expected the children to end at its " + std::to_string(nodes) + " nodes; found " +
                std::to_string(children_[nodes]));
  for (const token_id token : tokens_.all())
    if (token < no_token || (token >= 0 && static_cast<std::size_t>(token) >= end))
      throw error("the trie: expected ids below " + std::to_string(end) + "; found " + std::to_string(token));
}

void token_trie::expect_depth(std::size_t most) const {
  std::size_t depth = 0;
  for (place first = children_[root], last = children_[root + 1]; first < last; ++depth) {
    first = children_[first];
    last = children_[last];
  }
  if (depth > most)
    throw error("the trie: expected tokens of at most " + std::to_string(most) + " bytes; found " +
                std::to_string(depth));
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
