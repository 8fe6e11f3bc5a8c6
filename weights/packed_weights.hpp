#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fovea/weights/panels.hpp>
#include <fovea/weights/stored_tensor.hpp>

namespace fovea::core {

/// A file of packed weights has a model's parameters as one instruction set reads them: a GGUF file with the keys below,
/// its tensors aligned to cache lines. Each is called by its parameter's name and shape, "h.0.attn.q.weight [768, 768]", and
/// has one axis: float32 values, or int8, the bytes of panels (panel_layout.hpp), of the file's format or one that files
/// mix with it. Who packed them has seen that they are finite, and nobody looks again. A file may carry a tokenizer, too (runtime/tokenizers/packed_tokenizer.hpp).
namespace packed_keys {
inline constexpr const char *version = "fovea.packed.version", *format = "fovea.packed.format",
                            *panel = "fovea.packed.panel", *set = "fovea.packed.set",
                            *tokenizer = "fovea.packed.tokenizer"; // the text of its stages
inline constexpr const char* tables = "tokenizer.";                // what the names of its tensors begin with
inline constexpr std::uint32_t newest = 2, alignment = 64;
} // namespace packed_keys

/// Whether a tensor of such a file is a table of its tokenizer.
inline bool is_of_tokenizer(std::string_view tensor) {
  return tensor.starts_with(packed_keys::tables) && !tensor.ends_with(']'); // as parameters do
}

std::string packed_name(const std::string& parameter, std::span<const std::size_t> shape);

/// How the matrices of a file lie.
struct packed_layout {
  weight_format format = weight_format::f32;
  std::size_t panel = 0; // columns
};

/// That of a file which says so of itself; nothing where it is another. Throws fovea::error, which does not name the file,
/// where it is of a version or layout that is not known.
std::optional<packed_layout> packed_layout_of(const std::map<std::string, std::string>& metadata);

/// A parameter [columns, depth] in such a file. Throws fovea::error, which does not name it, where the bytes are others than
/// that takes.
panels_view panels_of(const stored_tensor& tensor, const packed_layout& layout,
                      std::span<const std::size_t> shape);

} // namespace fovea::core
