#pragma once

#include <fovea/weights/gguf_metadata.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fovea::core::test {

/// A number as its little-endian bytes.
template <typename number>
std::string bytes_of(number value) {
  return {reinterpret_cast<const char*>(&value), sizeof(number)};
}
template <typename number>
std::string bytes_of(const std::vector<number>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(number)};
}

/// Builds the bytes of a GGUF file.
class gguf_writer {
public:
  std::uint32_t version = 3;
  std::size_t alignment = 32;

  static std::string text(const std::string& value) { return bytes_of(std::uint64_t{value.size()}) + value; }

  /// A pair whose value's bytes are given.
  void add(const std::string& key, gguf_type type, const std::string& value) {
    pairs_ += text(key) + bytes_of(static_cast<std::uint32_t>(type)) + value;
    ++pair_count_;
  }
  void add(const std::string& key, const std::string& value) { add(key, gguf_type::text, text(value)); }
  void add(const std::string& key, std::uint32_t value) { add(key, gguf_type::uint32, bytes_of(value)); }
  void add(const std::string& key, float value) { add(key, gguf_type::float32, bytes_of(value)); }
  /// An array of `count` elements whose bytes are given.
  void add_array(const std::string& key, gguf_type element, std::uint64_t count,
                 const std::string& elements) {
    add(key, gguf_type::array, bytes_of(static_cast<std::uint32_t>(element)) + bytes_of(count) + elements);
  }

  /// `type` is ggml's number (0: F32, 1: F16, 2: Q4_0, 8: Q8_0, 30: BF16); the shape is row-major.
  void add_tensor(const std::string& name, std::uint32_t type, const std::vector<std::uint64_t>& shape,
                  const std::string& data) {
    data_.resize((data_.size() + alignment - 1) / alignment * alignment);
    add_tensor_at(data_.size(), name, type, shape);
    data_ += data;
  }
  /// The same without data, which the file says to begin at `offset`.
  void add_tensor_at(std::uint64_t offset, const std::string& name, std::uint32_t type,
                     const std::vector<std::uint64_t>& shape) {
    tensors_ += text(name) + bytes_of(static_cast<std::uint32_t>(shape.size()));
    for (auto axis = shape.rbegin(); axis != shape.rend(); ++axis) tensors_ += bytes_of(*axis);
    tensors_ += bytes_of(type) + bytes_of(offset);
    ++tensor_count_;
  }

  std::string header() const {
    return "GGUF" + bytes_of(version) + bytes_of(tensor_count_) + bytes_of(pair_count_) + pairs_ + tensors_;
  }
  std::string file() const {
    std::string made = header();
    if (tensor_count_ > 0) made.resize((made.size() + alignment - 1) / alignment * alignment);
    return made + data_;
  }

private:
  std::uint64_t pair_count_ = 0, tensor_count_ = 0;
  std::string pairs_, tensors_, data_;
};

} // namespace fovea::core::test
