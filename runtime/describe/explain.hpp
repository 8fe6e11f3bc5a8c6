#pragma once

#include <fovea/backends/explanation.hpp>

#include <ostream>

namespace fovea::core {

/// What a stream runs: once before its first step, in each step, and whether a single position takes one function in
/// place of the steps, or the positions of one batch row do.
struct stream_explanation {
  explanation begin, step;
  bool has_single_position = false, has_blocks = false;
};

/// As tables.
std::ostream& operator<<(std::ostream& out, const explanation& e);
std::ostream& operator<<(std::ostream& out, const stream_explanation& e);

namespace detail {

template <class E>
concept explains_itself = requires(const E& engine, const std::vector<std::int64_t>& sizes, explanation e) {
  engine.explain(sizes, e);
};
template <explains_itself E>
explanation explained(const E& engine, const std::vector<std::int64_t>& sizes) {
  explanation made;
  engine.explain(sizes, made);
  return made;
}

} // namespace detail

/// Explains a net, by compile or by a library of fovea_add_model, at the sizes of its last call; before the first at
/// its capacity. For example
///
///   std::cout << explain(net);
template <class net>
requires requires(const net& n) { detail::explained(n.runs_on(), n.sizes()); }
explanation explain(const net& n) { return detail::explained(n.runs_on(), n.sizes()); }
/// The same of a stream.
template <class stream>
requires requires(const stream& s) { detail::explained(s.step_runs_on(), s.step_sizes()); }
stream_explanation explain(const stream& s) {
  return {detail::explained(s.begin_runs_on(), s.begin_sizes()),
          detail::explained(s.step_runs_on(), s.step_sizes()), s.takes_single_positions(), s.takes_blocks()};
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::explain, core::explanation, core::stream_explanation;
} // namespace fovea
