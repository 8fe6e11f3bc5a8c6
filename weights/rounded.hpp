#pragma once

#include <span>

#include <fovea/weights/parameters.hpp>

namespace fovea::core {

namespace detail {
model_weights rounded_weights(graph_view declared, const model_weights& source,
                              std::span<const name_rule> names, weight_format format);
}

/// What compile<q8_0>(model, source) computes with, as float32 under the model's own names: to see what a
/// format costs, or to run it by compile<reference>. Throws fovea::error where source and model do not fit.
template <class format, class M>
model_weights rounded_weights(const M& model, const model_weights& source) {
  static_assert(is_weight_format<format>,
                "rounded_weights: expected a format of weights, " FOVEA_FORMATS " [F0304]");
  return detail::rounded_weights(M::view, source, model.names, format_named<format>);
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::rounded_weights;
} // namespace fovea
