#include <fovea/weights/stored_tensor.hpp>

#include <fovea/weights/blocks_of_32.hpp>
#include <fovea/weights/k_blocks.hpp>

#include <algorithm>
#include <array>

namespace fovea::core {
namespace {

struct element_row {
  std::string_view name;
  std::size_t bytes, length = 1;
};

template <class block>
constexpr element_row row_of_blocks(std::string_view name) {
  return {name, sizeof(block), block::length};
}

// In the order of element_type.
constexpr std::array<element_row, 20> element_table{{{"F64", 8},
                                                     {"F32", 4},
                                                     {"F16", 2},
                                                     {"BF16", 2},
                                                     {"I64", 8},
                                                     {"I32", 4},
                                                     {"I16", 2},
                                                     {"I8", 1},
                                                     {"U8", 1},
                                                     {"BOOL", 1},
                                                     row_of_blocks<gguf_blocks::q8_0>("Q8_0"),
                                                     row_of_blocks<gguf_blocks::q4_0>("Q4_0"),
                                                     row_of_blocks<gguf_blocks::q4_1>("Q4_1"),
                                                     row_of_blocks<gguf_blocks::q5_0>("Q5_0"),
                                                     row_of_blocks<gguf_blocks::q5_1>("Q5_1"),
                                                     row_of_blocks<gguf_blocks::q2_k>("Q2_K"),
                                                     row_of_blocks<gguf_blocks::q3_k>("Q3_K"),
                                                     row_of_blocks<gguf_blocks::q4_k>("Q4_K"),
                                                     row_of_blocks<gguf_blocks::q5_k>("Q5_K"),
                                                     row_of_blocks<gguf_blocks::q6_k>("Q6_K")}};

const element_row& row_of(element_type type) { return element_table[static_cast<std::size_t>(type)]; }

} // namespace

std::size_t block_length(element_type type) { return row_of(type).length; }
std::size_t block_bytes(element_type type) { return row_of(type).bytes; }
std::string_view element_name(element_type type) { return row_of(type).name; }

bool whole_blocks(element_type type, std::span<const std::size_t> shape) {
  const std::size_t length = block_length(type);
  return length == 1 || (!shape.empty() && shape.back() % length == 0);
}

std::optional<std::size_t> tensor_bytes(element_type type, std::span<const std::size_t> shape) {
  if (!whole_blocks(type, shape)) return std::nullopt;
  if (std::ranges::find(shape, std::size_t{0}) != shape.end()) return 0;
  // The last axis counts blocks, so that no product exceeds what the bytes do.
  std::size_t size = block_bytes(type);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::size_t extent = axis + 1 == shape.size() ? shape[axis] / block_length(type) : shape[axis];
    if (__builtin_mul_overflow(size, extent, &size)) return std::nullopt;
  }
  return size;
}

std::size_t count_of(const stored_tensor& tensor) {
  return tensor.bytes.size() / block_bytes(tensor.type) * block_length(tensor.type);
}

std::string shape_text(std::span<const std::size_t> shape) {
  constexpr std::size_t most_axes = 16; // of what a file says
  std::string text = "[";
  for (std::size_t i = 0; i < std::min(shape.size(), most_axes); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() > most_axes ? ", …]" : "]");
}

} // namespace fovea::core
