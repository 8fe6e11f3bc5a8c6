#pragma once

namespace fovea::core::detail {

/// Names that gradients have as inputs and outputs.
struct gradient_name {
  static constexpr int longest = 160;
  char text[longest + 1] = {};

  constexpr gradient_name() = default;
  constexpr gradient_name(const char* prefix, const char* of) {
    int n = 0;
    for (; *prefix != '\0'; ++prefix) text[n++] = *prefix;
    for (; *of != '\0' && n < longest; ++of) text[n++] = *of;
  }
};

} // namespace fovea::core::detail
