#pragma once

#include <array>

#include <fovea/dsl/elementwise.hpp>

namespace fovea::core::detail {

/// Whether a body leaves what it carries, value k of so many, in its shape and type.
template <class word_type>
constexpr bool keeps_shape(expr from, expr to, int k, int carried, source_place at, const word_type& who) {
  graph& g = *from.owner;
  const node &before = g.nodes[from.id], &after = g.nodes[to.id];
  if (before.shape == after.shape && before.type == after.type) return true;
  sentence which;
  if (carried > 1) which << "value " << k + 1 << " of " << carried << " from ";
  g.fail(197, at, who, ": the body turns ", which, name_of(before.type), " ", from, " into ",
         name_of(after.type), " ", to, "; what a ", who.word, " carries keeps its shape");
  return false;
}

/// The body of a repeat or a scan while it is being declared: the nodes made during its life belong to it.
/// Its first nodes are what it carries.
template <std::size_t carried>
class region_body {
public:
  static_assert(carried >= 1 && carried <= 16, "a repeat or scan carries one to sixteen values [F0278]");
  using values = std::array<expr, carried>;

  /// `declared` says what kind of region it is. Check opened() before anything is made.
  template <class word_type>
  constexpr region_body(graph& g, region_entry declared, const values& from, source_place at,
                        const word_type& who)
      : g_(g), outer_(g.current_region), at_(at) {
    for (expr value : from)
      if (!g.usable(value, at, who)) return;
    if (g.region_count == graph::max_regions) {
      g.fail(198, at, who, ": a model has at most ", graph::max_regions - 1, " repeats and scans");
      return;
    }
    index_ = g.region_count++;
    declared.parent = static_cast<std::uint8_t>(outer_);
    declared.first = g.node_count;
    declared.carried = static_cast<std::int32_t>(carried);
    g.regions[index_] = declared;
    g.current_region = index_;
    for (std::size_t i = 0; i < carried; ++i) {
      const node& n = g.nodes[from[i].id];
      inside_[i] = g.add({.kind = op::carry,
                          .type = n.type,
                          .shape = n.shape,
                          .settings = {.carried = {static_cast<std::int32_t>(i), index_}},
                          .at = at},
                         from[i]);
    }
  }
  constexpr region_body(const region_body&) = delete;
  constexpr region_body& operator=(const region_body&) = delete;
  constexpr ~region_body() { g_.current_region = outer_; }

  constexpr bool opened() const { return index_ > 0 && g_.error.empty(); }
  constexpr int index() const { return index_; }
  constexpr const values& inside() const { return inside_; }

  /// Ends the body with what goes to the next pass, and gives what the last pass made.
  template <class word_type>
  constexpr values close(const values& next, const word_type& who) {
    for (expr value : next)
      if (!g_.usable(value, at_, who)) return nothing();
    for (std::size_t i = 0; i < carried; ++i) {
      if (!keeps_shape(inside_[i], next[i], static_cast<int>(i), static_cast<int>(carried), at_, who))
        return nothing();
      g_.regions[index_].results[i] = next[i].id;
    }
    g_.regions[index_].last = g_.node_count;
    g_.current_region = outer_;
    values result{};
    for (std::size_t i = 0; i < carried; ++i)
      result[i] = g_.add({.kind = op::repeat_output,
                          .type = g_.nodes[inside_[i].id].type,
                          .shape = g_.shape_of(inside_[i]),
                          .settings = {.carried = {static_cast<std::int32_t>(i), index_}},
                          .at = at_},
                         next[i]);
    return result;
  }

private:
  constexpr values nothing() const {
    values none{};
    none.fill({&g_});
    return none;
  }

  graph& g_;
  int outer_, index_ = 0;
  source_place at_;
  values inside_{};
};

} // namespace fovea::core::detail
