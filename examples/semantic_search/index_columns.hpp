#pragma once

#include <fovea/base/error.hpp>
#include <fovea/weights/safetensors.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace semantic_search {

// What an index file has, in tensors of rows and columns: numbers of 64 bits as signed ones.

inline std::int64_t as_number(std::uint64_t value) { return static_cast<std::int64_t>(value); }
inline std::uint64_t as_bits(std::int64_t value) { return static_cast<std::uint64_t>(value); }

/// The values of a tensor. Throws fovea::error where it is of another type, or has not so many columns; 0: any number.
template <class T>
std::vector<T> values_of(const fovea::core::safetensors_file& file, const char* name,
                         fovea::element_type type, std::size_t columns) {
  const fovea::stored_tensor& tensor = file.at(name);
  if (tensor.type != type || tensor.shape.size() != 2 || (columns != 0 && tensor.shape[1] != columns))
    throw fovea::error(file.path().string() + ": tensor '" + name + "' has an unexpected type or shape");
  std::vector<T> values(tensor.bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

} // namespace semantic_search
