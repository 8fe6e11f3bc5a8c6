#pragma once

#include <fovea/backends/explanation.hpp>

#include <ostream>

namespace fovea::core {

/// What a stream runs: once before its first step, in each step, and whether a single position takes one function in
/// place of the steps.
struct stream_explanation {
  explanation begin, step;
  bool has_single_position = false;
};

/// As tables.
std::ostream& operator<<(std::ostream& out, const explanation& e);
std::ostream& operator<<(std::ostream& out, const stream_explanation& e);

/// Explains a net, by compile or by a library of fovea_add_model, at the sizes of its last call; before the first at
/// its capacity. For example
///
///   std::cout << explain(net);
template <class net>
requires requires(const net& n) { n.runs_on().explained(n.sizes()); }
explanation explain(const net& n) { return n.runs_on().explained(n.sizes()); }
/// The same of a stream.
template <class stream>
requires requires(const stream& s) { s.step_runs_on().explained(s.step_sizes()); }
stream_explanation explain(const stream& s) {
  return {s.begin_runs_on().explained(s.begin_sizes()), s.step_runs_on().explained(s.step_sizes()),
          s.takes_single_positions()};
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::explain, core::explanation, core::stream_explanation;
} // namespace fovea
