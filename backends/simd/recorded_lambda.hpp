#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fovea/backends/scalar_function.hpp>

namespace fovea::core::simd {

/// A recorded lambda of an attention with the tables it reads, for what is found one pair of positions at a
/// time: ranges of keys, values that depend on the head alone, attention maps.
struct recorded_lambda {
  const scalar_function& f;
  const float* const* tables; // of its captures
  const std::size_t (*table_sizes)[4];
  const bool (*of_queries)[4]; // an axis has rows from first_query on
  std::int32_t first_query = 0;

  /// The values of all its nodes. A position outside a table reads its first or last.
  auto values(const scalar_arguments& given) const {
    return values_of(f, given, [&](const scalar_node& n, const auto& position) {
      std::size_t at = 0;
      for (int k = 0; k < n.operand_count; ++k) {
        const std::size_t size = table_sizes[n.capture][k];
        const std::int64_t place = position(k) - (of_queries[n.capture][k] ? first_query : 0);
        at = at * size + static_cast<std::size_t>(
                             std::clamp<std::int64_t>(place, 0, static_cast<std::int64_t>(size) - 1));
      }
      return n.type == element::f32
                 ? static_cast<double>(tables[n.capture][at])
                 : static_cast<double>(reinterpret_cast<const std::int32_t*>(tables[n.capture])[at]);
    });
  }
  double value(const scalar_arguments& given) const { return values(given)[f.result()]; }
};

} // namespace fovea::core::simd
