#pragma once

#include <cstddef>
#include <cstdint>

#include <fovea/dsl/scalar.hpp>

namespace fovea::core::simd {

/// The values of a recorded function's nodes at one pair of positions, computed as the kernels do, one node
/// at a time: for what kernels read ready made (ranges of keys, values that depend on the head alone) and for
/// attention maps.
struct scalar_point {
  const scalar_function& f;
  const float* const* tables; // of its captures
  const std::size_t (*table_sizes)[4];
  const bool (*of_queries)[4]; // an axis has rows from first_query on
  std::int32_t first_query = 0;
  std::int32_t batch = 0, head = 0, query = 0, key = 0;
  float score = 0;

  /// Integers and truth values as whole numbers.
  double value(int id) const;
};

} // namespace fovea::core::simd
