#pragma once

#include <cstdint>

#include <fovea/backends/rank_means.hpp>

namespace fovea::core {

/// What the values that only training draws depend on: another seed gives another run, another step of it
/// other values. A batch may be drawn in equal parts: values of a part are those that the whole batch has
/// there, where its rows are their first axis. `over` are the ranks that have the others; none: each takes
/// the means of its own.
struct random_state {
  std::uint64_t seed = 0, step = 0, part = 0;
  rank_means* over = nullptr;
};

/// Which elements of a value dropout leaves out: a function of the random state, the word's number in its
/// model, the numbers of the layers and time steps that it is in, and the element's place, so that neither
/// threads nor order matter (a counter-based generator, Salmon et al. 2011). Kernels and specification share
/// it.
class dropout_draw {
public:
  dropout_draw(random_state random, std::int32_t number, double rate)
      : below_(static_cast<std::uint32_t>(rate * 4294967296.0)), kept_(static_cast<float>(1 / (1 - rate))) {
    add(random.seed), add(random.step), add(static_cast<std::uint64_t>(number));
  }
  /// One more number that the values depend on.
  void add(std::uint64_t x) {
    std::uint64_t z = (key_ += x + 0x9E3779B97F4A7C15); // splitmix64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    key_ = z ^ (z >> 31);
  }
  /// 0, or 1 / (1 - rate), by which element i is multiplied.
  float operator()(std::uint32_t i) const {
    const std::uint32_t bits =
        mixed(mixed(i + static_cast<std::uint32_t>(key_)) ^ static_cast<std::uint32_t>(key_ >> 32));
    return bits < below_ ? 0.0f : kept_;
  }

private:
  // A bijection of 32 bits in which each bit of x turns over half of the bits ("lowbias32", Wellons 2018).
  static std::uint32_t mixed(std::uint32_t x) {
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
  }

  std::uint64_t key_ = 0;
  std::uint32_t below_;
  float kept_;
};

} // namespace fovea::core
