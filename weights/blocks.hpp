#pragma once

#include <fovea/weights/blocks_of_32.hpp>
#include <fovea/weights/element_type.hpp>
#include <fovea/weights/k_blocks.hpp>

namespace fovea::core::gguf_blocks {

template <class... blocks>
struct block_list {
  /// Calls f with an empty block of the type. Whether the type has blocks.
  template <class F>
  static bool find(element_type type, const F& f) {
    int left = static_cast<int>(type) - static_cast<int>(element_type::q8_0);
    return ((left-- == 0 && (f(blocks{}), true)) || ...);
  }
};

/// In the order of element_type.
using all = block_list<q8_0, q4_0, q4_1, q5_0, q5_1, q2_k, q3_k, q4_k, q5_k, q6_k>;

/// Whether values are rounded to such blocks: to whole numbers of one scale, or by several.
template <class block>
concept has_steps = requires {
  block::greatest;
};
template <class block>
concept is_written = has_steps<block> || requires(k_values values) {
  block::of(values);
};

} // namespace fovea::core::gguf_blocks
