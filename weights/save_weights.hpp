#pragma once

#include <span>

#include <fovea/base/file_path.hpp>
#include <fovea/weights/parameters.hpp>

namespace fovea::core {

namespace detail {
void save_weights(const file_path& path, graph_view declared, const model_weights& source,
                  std::span<const name_rule> names, weight_format format);
}

/// Writes what compile<q8_0>(model, source) keeps: the parameters that the format is for in it, all others as
/// float32, under the model's own names and in its own layouts, so that blocks lie along its rows whatever
/// the table of names transposes or splits. Compiled in that format the file gives the same numbers, bit for
/// bit. Rows that hold no whole number of blocks stay float32.
///
/// A path that ends in .safetensors is one such file, which has no blocks; all others are GGUF. The file
/// appears whole or not at all. Throws fovea::error where source and model do not fit, a value is beyond the
/// format, the model's table of names would take one of its own names for another, or the disk refuses.
template <class format, class M>
void save_weights(const file_path& path, const M& model, const model_weights& source) {
  static_assert(
      is_weight_format<format> && traits_of<format>.in_files(),
      "save_weights: expected a format that files hold, such as f16 or q8_0; int8, whose scales are of rows, "
      "is none [F0305]");
  detail::save_weights(path, M::view, source, model.names, format_named<format>);
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::save_weights;
} // namespace fovea
