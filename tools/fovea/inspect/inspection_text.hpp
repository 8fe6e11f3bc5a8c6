#pragma once

#include "inspection.hpp"

#include <limits>

namespace tool {

struct inspection_wishes {
  std::string pattern = {}; // tensors of such names, `*` any text; empty: all
  bool each = false;        // a line for each tensor
  std::size_t columns = std::numeric_limits<std::size_t>::max(); // of a terminal that lines should fit
};

/// Lines for a reader. Tensors that differ by numbers in their names alone share one. Throws failure where
/// the pattern matches none.
std::string text_of(const inspection& found, const inspection_wishes& wishes);

/// An object with file, what, config, metadata, tokenizer, tensors.
nlohmann::ordered_json json_of(const inspection& found, const inspection_wishes& wishes);

} // namespace tool
