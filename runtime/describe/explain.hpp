#pragma once

#include <fovea/backends/pieces.hpp>
#include <fovea/backends/simd/net_view.hpp>

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace fovea::core {

/// Where a step leaves a value: `offset` bytes behind the begin of the arena, or -1 where it lies among what a stream
/// keeps. What a loop carries lies there before its first pass.
struct explained_result {
  std::int64_t offset = -1, bytes = 0;
  bool is_output = false; // of the model
};

/// One step of a compiled model as it runs, or the loop around some. FLOPs and bytes are those of one pass.
struct explained_step {
  int step = 0;             // its number, as FOVEA_PROFILE has it
  int depth = 0;            // how many loops it is in
  std::string text;         // "linear h.*.mlp.up (gelu)": the word, the parameters, and what is fused into it
  std::string kernel;       // what runs it
  std::string weights = {}; // their format; empty where it has none
  std::string sizes;        // rows x depth x columns of a product, else see backends/simd/step_text.hpp
  std::int64_t passes = 1, flops = 0;
  std::int64_t parameter_bytes = 0, value_bytes = 0; // that it reads or writes
  std::vector<explained_result> results = {};
};

/// What runs when a compiled model is called.
struct explanation {
  std::string model, sizes; // "B = 1, T = 32"
  std::string set;          // of instructions
  std::size_t threads = 1;
  std::int64_t arena_bytes = 0;
  std::vector<explained_step> steps = {};

  /// Of a call, all passes counted.
  std::int64_t flops() const;
  std::int64_t bytes() const;
};

/// What a stream runs: once before its first step, in each step, and whether a single position takes one function in
/// place of the steps.
struct stream_explanation {
  explanation begin, step;
  bool has_single_position = false;
};

/// As tables.
std::ostream& operator<<(std::ostream& out, const explanation& e);
std::ostream& operator<<(std::ostream& out, const stream_explanation& e);

namespace detail {
explanation explained(const simd::net_view& net, const pieces& arena, simd::dim_values sizes);
} // namespace detail

/// Explains a net, by compile or by a library of fovea_add_model, at the sizes of its last call; before the first at
/// its capacity. For example
///
///   std::cout << explain(net);
template <class net>
requires requires(const net& n) { n.runs_on().view(); }
explanation explain(const net& n) {
  return detail::explained(n.runs_on().view(), n.runs_on().arena(), n.sizes());
}
/// The same of a stream.
template <class stream>
requires requires(const stream& s) { s.step_runs_on().view(); }
stream_explanation explain(const stream& s) {
  return {detail::explained(s.begin_runs_on().view(), s.begin_runs_on().arena(), s.begin_sizes()),
          detail::explained(s.step_runs_on().view(), s.step_runs_on().arena(), s.step_sizes()),
          s.takes_single_positions()};
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::explain, core::explanation, core::stream_explanation;
} // namespace fovea
