#pragma once

#include <cstdint>
#include <span>

#include <fovea/backends/reference/array.hpp>
#include <fovea/dsl/scalar.hpp>

namespace fovea::core::reference_ops {

/// What a score or mask lambda is given.
struct scalar_arguments {
  double score = 0;                                     // of a score lambda only
  std::int64_t batch = 0, head = 0, query = 0, key = 0; // query and key as positions
};

/// Runs a recorded lambda, node by node. `tables` are its captured tables, in the order of the captures.
/// Integers divide with floor; both sides of a `where` are computed. Throws fovea::error where a position
/// lies outside its table.
double evaluate(const scalar_function& f, const scalar_arguments& given,
                std::span<const array* const> tables);

} // namespace fovea::core::reference_ops
