#pragma once

#include <fovea/dsl.hpp>

namespace fovea::models {

/// x, of which training drops a share (dropout); at the rate 0 x itself.
constexpr expr thinned(expr x, double rate, place at = {__builtin_FILE(), __builtin_LINE()}) {
  return rate == 0 ? x : dropout(x, rate, at);
}

} // namespace fovea::models
