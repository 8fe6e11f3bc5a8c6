#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <fovea/backends/xtensor.hpp>
#include <fovea/dsl/sentence.hpp>

namespace fovea::core::reference_ops {

/// A value of the graph: row-major doubles of any rank. int32 values are whole numbers, booleans 0 and 1.
using array = xt::xarray<double>;
using array_shape = std::vector<std::size_t>;

/// An array of that shape, every element `value`.
array filled(const array_shape& shape, double value);

/// The same elements in the same order under another shape of as many elements.
array reshaped(const array& x, const array_shape& shape);

array_shape shape_of(const array& x);

/// A row-major array seen as [before, size, after], `size` being that of one axis.
struct blocks {
  std::size_t before = 1, size = 1, after = 1;
};
blocks blocks_around(const array& x, std::size_t axis);

/// "[2, 3]".
std::string shape_text(std::span<const std::size_t> shape);

/// Throws fovea::error: the op's place in the user's source, then the sentence.
[[noreturn]] void fail(source_place at, const std::string& sentence);

/// Fails where one of the numbers, which `what` names, is not 0 to `end` - 1.
void check_numbers(source_place at, const char* word, const char* what, const array& numbers,
                   std::size_t end);

} // namespace fovea::core::reference_ops
