#pragma once

#include <fovea/weights/stored_tensor.hpp>

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tool {

/// A tensor's values, row-major; those of all types but int64 are exact.
struct numbers {
  std::vector<std::size_t> shape;
  std::vector<double> values;
  bool whole = false; // of an integer type
  std::string type;   // as files name it
  std::string source; // what it is in its file, as "input.ids" or "count(input.mask)"
};

/// Of any type of safetensors.
numbers numbers_of(const fovea::stored_tensor& from);

/// Writes a safetensors file: integers as int64, others as float32.
void save_numbers(const std::filesystem::path& path, const std::map<std::string, numbers>& tensors);

} // namespace tool
