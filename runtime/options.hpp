#pragma once

#include <cstdint>
#include <vector>

#include <fovea/base/threads.hpp>
#include <fovea/dsl/dim.hpp>
#include <fovea/runtime/ranks/rank_group.hpp>

namespace fovea::core {

/// How a model is run: see compile_options.
enum class regime : std::uint8_t { automatic, small, large };

/// How a model is compiled.
///
///   capacity  the largest size of each symbolic dim: it bounds every call and sizes the memory once.
///             May be left out where the model implies it.
///   regime    small: one thread, no dispatch to others; large: threads.
///             By default small where all weights are at most 128 KiB.
///   threads   0: every usable processor in the large regime, one in the small.
///   lent      threads of the caller's, in place of the net's own: `threads` says into how many parts work is split.
///   group     the ranks that compute a tensor_parallel model together
struct compile_options {
  std::vector<dim_size> capacity = {};
  core::regime regime = core::regime::automatic;
  int threads = 0;
  executor lent = {};
  rank_group group = {};
};

namespace detail {

/// The threads that a model is run by. Throws fovea::error that names it where they are fewer than none.
thread_supply threads_of(const compile_options& options, bool is_small, const char* model_name);

} // namespace detail

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::compile_options, core::executor, core::regime;
} // namespace fovea
