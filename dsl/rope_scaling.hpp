#pragma once

#include <cstdint>

namespace fovea::core {

/// Of each pair of features, from the first, the number that its turn is divided by.
struct rope_divisors {
  static constexpr int most = 128;
  int count = 0;
  double of[most] = {};
};

struct llama3_options {
  double factor = 8;       // of the context
  double low = 1;          // pairs that turn less often than this within .positions turn factor times slower
  double high = 4;         // those that turn more often stay; between the two they are mixed
  double positions = 8192; // that the model saw before it was scaled
};

struct yarn_options {
  double factor = 1;          // of the context
  double positions = 0;       // that the model saw before it was scaled
  double slow = 1, fast = 32; // turns within .positions, as low and high of Llama 3
  double amplitude = 0;       // of sine and cosine; 0: 0.1 ln(factor) + 1
};

struct longrope_options {
  double factor = 1;    // of the context
  double positions = 0; // that the model saw before it was scaled
};

/// How rotary positions reach further than a model was trained: from their turns, base^(-2i / width) radians a
/// position for pair i, others are made.
struct rope_scaling {
  enum class kind : std::uint8_t { none, linear, llama3, yarn, longrope };
  kind how = kind::none;
  double factor = 1, positions = 0;
  double low = 0, high = 0;
  double amplitude = 0;
  const rope_divisors* divisors = nullptr;

  /// All turn factor times slower (Chen et al. 2023, Extending context window of large language models via
  /// positional interpolation, section 2.3).
  static constexpr rope_scaling linear(double factor) { return {.how = kind::linear, .factor = factor}; }
  /// Llama 3.1's (Grattafiori et al. 2024; the released model's code).
  static constexpr rope_scaling llama3(llama3_options o) {
    return {.how = kind::llama3, .factor = o.factor, .positions = o.positions, .low = o.low, .high = o.high};
  }
  /// YaRN (Peng et al. 2024, section 3.4).
  static constexpr rope_scaling yarn(yarn_options o) {
    return {.how = kind::yarn,
            .factor = o.factor,
            .positions = o.positions,
            .low = o.slow,
            .high = o.fast,
            .amplitude = o.amplitude};
  }
  /// LongRoPE (Ding et al. 2024, section 3), with sine and cosine times sqrt(1 + ln(factor) / ln(positions)).
  /// `divisors` are a constant of the program.
  static constexpr rope_scaling longrope(const rope_divisors& divisors, longrope_options o) {
    return {.how = kind::longrope, .factor = o.factor, .positions = o.positions, .divisors = &divisors};
  }

  friend constexpr bool operator==(const rope_scaling&, const rope_scaling&) = default;
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::llama3_options, core::longrope_options, core::rope_divisors, core::rope_scaling,
    core::yarn_options;
} // namespace fovea
