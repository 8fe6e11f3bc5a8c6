#pragma once

#include <fovea/dsl.hpp>

namespace fovea::models {

/// What stood at the position before: x [B, T, width] -> [B, T, width], zeros at the first. Its state is one
/// position, so that it streams.
constexpr expr position_before(expr x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  return scan(x, zeros(x, {x.size(0), x.size(2)}), [](expr now, expr before) {
    return scan_step{before, now};
  });
}

} // namespace fovea::models
