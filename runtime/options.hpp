#pragma once

#include <cstdint>
#include <vector>

#include <fovea/dsl/dim.hpp>

namespace fovea {

/// How a model is run: see compile_options.
enum class regime : std::uint8_t { automatic, small, large };
inline constexpr regime small = regime::small, large = regime::large;

/// How a model is compiled.
///
///   capacity  the largest size of each symbolic dim: it bounds every call and sizes the memory once.
///             May be left out where the model implies it.
///   regime    small: one thread, no dispatch to others; large: threads.
///             By default small where all weights are at most 128 KiB.
///   threads   0: every usable processor in the large regime, one in the small.
struct compile_options {
  std::vector<dim_size> capacity = {};
  fovea::regime regime = fovea::regime::automatic;
  int threads = 0;
};

} // namespace fovea
