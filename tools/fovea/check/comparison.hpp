#pragma once

#include "reference.hpp"

namespace tool {

/// The element of an output that uses most of its tolerance.
struct comparison {
  std::string output, backend;
  std::vector<std::size_t> index; // of the element
  double found = 0, expected = 0;
  double share = 0; // |found - expected| / tolerance; infinite where one of them is NaN or integers differ
  std::size_t beyond = 0, elements = 0; // how many are beyond it, of how many

  bool passes() const { return share <= 1; }
};

/// |found - expected| <= atol * max(1, largest |expected|) + rtol * |expected| for each element. Integers are
/// equal. Both have one shape.
comparison compare(const numbers& found, const numbers& expected, const tolerance& within);

} // namespace tool
