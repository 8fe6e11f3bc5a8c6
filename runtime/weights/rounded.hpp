#pragma once

#include <span>

#include <fovea/runtime/parameters.hpp>

namespace fovea {

namespace detail {
weights rounded(graph_view declared, const weights& source, std::span<const name_rule> names,
                weight_format format);
}

/// What compile<q8_0>(model, source) computes with, as float32 under the model's own names: to see what a
/// format costs, or to run it by compile<reference>. Throws fovea::error where source and model do not fit.
template <class format, class M>
weights rounded(const M& model, const weights& source) {
  static_assert(is_weight_format<format>,
                "rounded: expected a format of weights, f32, f16, bf16, int8, q8_0, q4_0, bf16_products or "
                "integer_products of int8, q8_0 or q4_0");
  return detail::rounded(M::view, source, {model.names, static_cast<std::size_t>(model.name_count)},
                         format_named<format>);
}

} // namespace fovea
