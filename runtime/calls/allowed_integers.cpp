#include <fovea/runtime/calls/allowed_integers.hpp>

#include <algorithm>
#include <limits>

namespace fovea::core {

namespace {

using part = std::vector<allowed_integers::range>;

bool same(const part& a, const part& b) {
  return std::ranges::equal(
      a, b, [](const auto& x, const auto& y) { return x.length == y.length && x.first == y.first; });
}

/// Goes back from node `id` to the input that it shows, and finds the part of that which it shows. False
/// where the model computes what it reads.
bool find_input(const graph_view& g, int& id, part& seen) {
  for (; g.at(id).kind != op::input; id = g.operand(id, 0)) {
    const node& n = g.at(id);
    switch (n.kind) {
      case op::reshape:
      case op::permute:
      case op::transpose:
      case op::reverse:
      case op::broadcast:
      case op::time_step:
        if (!seen.empty()) return false;
        break;
      case op::slice: {
        const shape& from = g.at(g.operand(id, 0)).shape;
        if (seen.empty())
          for (int axis = 0; axis < from.rank; ++axis) seen.push_back({{}, n.shape[axis]});
        seen[static_cast<std::size_t>(n.settings.slice.axis)].first.push_back(n.settings.slice.first);
        break;
      }
      default:
        return false;
    }
  }
  return true;
}

/// The first of them that is not allowed; all of them in vectors first.
std::optional<std::size_t> find_in(const allowed_integers& allowed, std::span<const std::int32_t> values) {
  const auto below = static_cast<std::uint32_t>(
      std::min<std::int64_t>(allowed.below, std::numeric_limits<std::int32_t>::max()));
  const std::int32_t ignored = allowed.ignored.value_or(0);
  bool all = true;
  for (const std::int32_t x : values) all &= (static_cast<std::uint32_t>(x) < below) | (x == ignored);
  if (all) return {};
  const auto other = std::ranges::find_if_not(values, [&](std::int32_t x) { return allowed.allow(x); });
  return static_cast<std::size_t>(other - values.begin());
}

} // namespace

std::optional<std::size_t> allowed_integers::find_other(std::span<const std::int32_t> values,
                                                        std::span<const std::int64_t> extents,
                                                        std::span<const std::int64_t> sizes) const {
  if (part.empty()) return find_in(*this, values);
  const auto first = [&](const range& r) {
    std::int64_t sum = 0;
    for (const int d : r.first) sum += sizes[static_cast<std::size_t>(d)];
    return sum;
  };
  const auto row = static_cast<std::size_t>(extents.back());
  const auto column = static_cast<std::size_t>(first(part.back())),
             count = static_cast<std::size_t>(sizes[static_cast<std::size_t>(part.back().length)]);
  for (std::size_t at = 0; at < values.size(); at += row) {
    bool inside = true;
    std::size_t rest = at / row;
    for (std::size_t axis = part.size() - 1; axis-- > 0;) {
      const auto size = static_cast<std::size_t>(extents[axis]);
      const std::int64_t i = static_cast<std::int64_t>(rest % size) - first(part[axis]);
      inside &= i >= 0 && i < sizes[static_cast<std::size_t>(part[axis].length)];
      rest /= size;
    }
    if (!inside) continue;
    if (const auto other = find_in(*this, values.subspan(at + column, count))) return at + column + *other;
  }
  return {};
}

std::vector<std::vector<allowed_integers>> allowed_integers_of(const graph_view& g) {
  std::vector<std::vector<allowed_integers>> made(g.inputs.size());
  const auto allow = [&](int id, allowed_integers what) {
    if (!find_input(g, id, what.part)) return;
    auto& of_input = made[static_cast<std::size_t>(g.at(id).settings.entry.index)];
    for (allowed_integers& other : of_input)
      if (other.ignored == what.ignored && same(other.part, what.part)) {
        other.below = std::min(other.below, what.below);
        return;
      }
    of_input.push_back(std::move(what));
  };
  for (int id = 0; id < g.node_count(); ++id) {
    const node& n = g.at(id);
    if (n.kind == op::gather)
      if (const int rows = g.at(g.operand(id, 0)).shape[0]; g.is_number(rows))
        allow(g.operand(id, 1), {g.number(rows), {}, {}});
    if (n.kind == op::expert_linear)
      allow(g.operand(id, 2), {g.number(g.at(g.operand(id, 1)).shape[0]) / g.number(n.shape[-1]), {}, {}});
    if (n.kind == op::take_along)
      if (const int size = g.at(g.operand(id, 0)).shape[axis_along(n)]; g.is_number(size))
        allow(g.operand(id, 1), {g.number(size), {}, {}});
    if (n.kind == op::cross_entropy)
      allow(g.operand(id, 1), {g.number(g.at(g.operand(id, 0)).shape[-1]), n.settings.loss.ignore, {}});
  }
  return made;
}

} // namespace fovea::core
