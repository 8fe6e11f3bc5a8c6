#pragma once

#include <fovea/weights/gguf_metadata.hpp>
#include <fovea/weights/stored_tensor.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fovea::core::gguf_layout {

inline constexpr std::string_view magic = "GGUF";
inline constexpr std::uint32_t oldest_version = 2, newest_version = 3;
inline constexpr std::uint32_t most_axes = 4;

/// ggml's number of a type.
struct type_row {
  std::uint32_t number;
  element_type type;
};
inline constexpr std::array types{
    type_row{0, element_type::f32},   type_row{1, element_type::f16},   type_row{2, element_type::q4_0},
    type_row{3, element_type::q4_1},  type_row{6, element_type::q5_0},  type_row{7, element_type::q5_1},
    type_row{8, element_type::q8_0},  type_row{10, element_type::q2_k}, type_row{11, element_type::q3_k},
    type_row{12, element_type::q4_k}, type_row{13, element_type::q5_k}, type_row{14, element_type::q6_k},
    type_row{24, element_type::i8},   type_row{25, element_type::i16},  type_row{26, element_type::i32},
    type_row{27, element_type::i64},  type_row{28, element_type::f64},  type_row{30, element_type::bf16}};

constexpr std::size_t aligned(std::size_t at, std::size_t alignment) {
  return (at + alignment - 1) / alignment * alignment;
}

/// What each tensor's data is aligned to. Throws fovea::error that names the file where the key
/// "general.alignment" has a value that no file may have.
std::size_t alignment_of(const gguf_metadata& metadata);

/// A number, and a text behind its length, as a file holds them.
template <typename number>
std::string bytes_of(number value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
inline std::string text_bytes(std::string_view text) {
  return bytes_of(std::uint64_t{text.size()}).append(text);
}

} // namespace fovea::core::gguf_layout
