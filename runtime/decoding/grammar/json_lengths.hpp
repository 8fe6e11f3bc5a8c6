#pragma once

#include <fovea/runtime/decoding/grammar/expression.hpp>

#include <cstddef>
#include <optional>

namespace fovea::core::grammar {

/// The texts of an expression without rules that have from `least` to `most` characters. Nothing where the expression has
/// others, and varies in more than how often one part stands in it.
std::optional<expression> of_length(const expression& says, std::size_t least, std::size_t most);

} // namespace fovea::core::grammar
