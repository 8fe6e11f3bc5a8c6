#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

#include <fovea/base/threads.hpp>
#include <fovea/dsl/dim.hpp>
#include <fovea/runtime/ranks/rank_group.hpp>
#include <fovea/weights/weight_format.hpp>

namespace fovea::core {

/// How a model is run: see compile_options.
enum class regime : std::uint8_t { automatic, small, large };

/// What a stream keeps the keys and values of its attention in: f32{}, f16{}, bf16{} or q8_0{}.
struct cache_format {
  weight_format format = weight_format::f32;

  constexpr cache_format() = default;
  constexpr cache_format(f32) {}
  constexpr cache_format(f16) : format(format_named<f16>) {}
  constexpr cache_format(bf16) : format(format_named<bf16>) {}
  constexpr cache_format(q8_0) : format(format_named<q8_0>) {}
  template <class other>
  requires(!std::same_as<other, cache_format>)
      __attribute__((unavailable("a stream keeps keys and values in f32{}, f16{}, bf16{} or q8_0{} "
                                 "[F0402]"))) constexpr cache_format(other) {}
};

/// How a model is compiled.
///
///   capacity  the largest size of each symbolic dim: it bounds every call and sizes the memory once.
///             May be left out where the model implies it.
///   regime    small: one thread, no dispatch to others; large: threads.
///             By default small where all weights are at most 128 KiB.
///   threads   0: every usable processor in the large regime, one in the small.
///   lent      threads of the caller's, in place of the net's own: `threads` says into how many parts work is split.
///   group     the ranks that compute a tensor_parallel model together
///   cache     what a stream keeps keys and values in: f16 and bf16 take half of the memory, and q8_0, of heads that are
///             multiples of 32 wide, 9 / 32. `compile` keeps nothing, and leaves it out
struct compile_options {
  std::vector<dim_size> capacity = {};
  core::regime regime = core::regime::automatic;
  int threads = 0;
  executor lent = {};
  rank_group group = {};
  cache_format cache = {};
};

namespace detail {

/// The threads that a model is run by. Throws fovea::error that names it where they are fewer than none.
thread_supply threads_of(const compile_options& options, bool is_small, const char* model_name);

} // namespace detail

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::cache_format, core::compile_options, core::executor, core::regime;
} // namespace fovea
