#include <fovea/runtime/decoding/grammar/byte_grammar.hpp>

#include <fovea/base/error.hpp>
#include <fovea/runtime/decoding/grammar/regular_expression.hpp>

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>

namespace fovea::core {
namespace {

using grammar::expression;
using place = byte_grammar::place;
using node = byte_grammar::node;

/// Makes nodes from the end of a rule to its begin: what follows is there already.
class node_writer {
public:
  node_writer(std::vector<node>& nodes, const std::string& name) : nodes_(nodes), name_(name) {}

  /// Where what `e` says and then leads to `next` begins.
  place write(const expression& e, place next) {
    using enum expression::kind;
    switch (e.what) {
      case text:
        for (const char c : std::views::reverse(e.text)) {
          const auto byte = static_cast<unsigned char>(c);
          next = add({node::kind::bytes, byte, byte, next});
        }
        return next;
      case set:
        return write_set(e, next);
      case sequence:
        for (const expression& part : std::views::reverse(e.parts)) next = write(part, next);
        return next;
      case choice:
        return write_choice(e, next);
      case repeat:
        return write_repeat(e, next);
      case rule:
        return add({node::kind::call, 0, 0, next, static_cast<place>(e.rule)});
    }
    return next;
  }

private:
  place add(node made) {
    grammar::check_nodes(nodes_.size() + 1, name_);
    nodes_.push_back(made);
    return static_cast<place>(nodes_.size() - 1);
  }
  place either(const std::vector<place>& begins, place next) {
    if (begins.empty()) return add({node::kind::bytes, 1, 0, next}); // no byte
    place made = begins.back();
    for (std::size_t i = begins.size() - 1; i-- > 0;) made = add({node::kind::split, 0, 0, begins[i], made});
    return made;
  }
  /// Sequences that end alike share their ends.
  place write_set(const expression& e, place next) {
    std::map<std::pair<std::pair<unsigned char, unsigned char>, place>, place> written;
    std::vector<place> begins;
    for (const grammar::byte_ranges& bytes : utf8_of(e.set)) {
      place begin = next;
      for (const auto& range : std::views::reverse(bytes)) {
        const auto [found, is_new] = written.try_emplace({range, begin}, 0);
        if (is_new) found->second = add({node::kind::bytes, range.first, range.second, begin});
        begin = found->second;
      }
      begins.push_back(begin);
    }
    return either(begins, next);
  }
  place write_choice(const expression& e, place next) {
    std::vector<place> begins;
    for (const expression& part : e.parts) begins.push_back(write(part, next));
    return either(begins, next);
  }
  place write_repeat(const expression& e, place next) {
    const expression& part = e.parts.front();
    place begin = next;
    if (e.most == expression::without_end) {
      begin = add({node::kind::split, 0, 0, next, next});
      nodes_[begin].other = write(part, begin);
    } else {
      for (std::size_t i = e.least; i < e.most; ++i)
        begin = add({node::kind::split, 0, 0, next, write(part, begin)});
    }
    for (std::size_t i = 0; i < e.least; ++i) {
      const place before = write(part, begin);
      if (before == begin) break; // it says nothing, however often
      begin = before;
    }
    return begin;
  }

  std::vector<node>& nodes_;
  const std::string& name_;
};

/// From which nodes a rule ends.
std::vector<bool> live_nodes(const std::vector<node>& nodes) {
  std::vector<std::vector<place>> before(nodes.size());
  for (place i = 0; i < nodes.size(); ++i) {
    if (nodes[i].what == node::kind::end) continue;
    before[nodes[i].next].push_back(i);
    if (nodes[i].what != node::kind::bytes) before[nodes[i].other].push_back(i);
  }
  std::vector<bool> live(nodes.size());
  std::vector<place> found{byte_grammar::end};
  live[byte_grammar::end] = true;
  while (!found.empty()) {
    const place now = found.back();
    found.pop_back();
    for (const place i : before[now]) {
      const node& n = nodes[i];
      const bool is_live = n.what == node::kind::bytes   ? n.first <= n.last
                           : n.what == node::kind::split ? true
                                                         : live[n.next] && live[n.other];
      if (!is_live || live[i]) continue;
      live[i] = true;
      found.push_back(i);
    }
  }
  return live;
}

} // namespace

void grammar::check_nodes(std::size_t count, const std::string& name) {
  if (count > most_nodes)
    throw error(name + ": expected at most " + std::to_string(most_nodes) +
                " bytes and choices, with repetitions written out; found more");
}

std::size_t grammar::least_nodes(const expression& of) {
  using kind = expression::kind;
  if (of.what == kind::text) return of.text.size();
  if (of.what == kind::set || of.what == kind::rule) return 1;
  if (of.what == kind::repeat && of.most == 0) return 0;
  std::size_t count = of.what != kind::choice ? 0 : of.parts.empty() ? 1 : of.parts.size() - 1;
  for (const expression& part : of.parts) count += least_nodes(part);
  return count;
}

byte_grammar::byte_grammar(const std::vector<expression>& rules, const std::string& name) {
  nodes_.emplace_back(); // the end of each rule
  std::vector<place> begins;
  node_writer to(nodes_, name);
  for (const expression& rule : rules) begins.push_back(to.write(rule, end));
  for (node& n : nodes_)
    if (n.what == node::kind::call) n.other = begins[n.other];
  live_ = live_nodes(nodes_);
  start_ = begins.front();
  if (!live_[start_]) throw error(name + ": expected at least one text that it allows; found none");
}

byte_grammar regular_expression(std::string_view text) {
  return byte_grammar({grammar::parse_regular_expression(text)}, "regular expression");
}

} // namespace fovea::core
