#pragma once

#include <concepts>
#include <span>
#include <string>

#include <fovea/dsl/model.hpp>
#include <fovea/runtime/backend_of.hpp>
#include <fovea/runtime/calls/refused.hpp>
#include <fovea/runtime/compiled.hpp>
#include <fovea/runtime/options.hpp>
#include <fovea/weights/weights.hpp>

namespace fovea::core {

namespace detail {

template <class named, class M>
concept computes_in = is_weight_format<named> || backend_for<named, M>;

} // namespace detail

/// Makes a model executable: compile(model, weights, {.capacity = {{B, 8}, {T, 512}}}), with weights in
/// another format compile<q8_0>(...) (weights/weight_format.hpp), or compile<reference>(...). Throws
/// fovea::error where weights, capacity and model do not fit.
template <class backend = f32, class M>
requires(M::well_formed&& detail::computes_in<backend, M>) auto compile(const M& model,
                                                                        const model_weights& source,
                                                                        const compile_options& options = {}) {
  using runs = backend_of<backend>;
  return compiled_by<runs>(model, source, options, format_named<backend>,
                           in_format<backend>(runs::template code_of_model<M>()));
}

template <class backend, class M>
requires(M::well_formed && !detail::computes_in<backend, M>) //
    __attribute__((unavailable(
        "what a model is compiled for is reference, or a format of weights: " FOVEA_FORMATS
        " [F0290]"))) refused_value compile(const M&, const model_weights&, const compile_options& = {}) {
  return {};
}

// Without weights, or with where they lie.
template <class backend = f32, class M>
requires(M::well_formed) //
    __attribute__((unavailable("the weights come after the model, as in compile(model, "
                               "load_weights(\"model.safetensors\"), {.capacity = ...}) [F0327]")))
    refused_value compile(const M&, const compile_options& = {}) {
  return {};
}
template <class backend = f32, class M, std::convertible_to<std::string> path>
requires(M::well_formed) //
    __attribute__((unavailable(
        "a file is loaded first, as in compile(model, load_weights(\"model.safetensors\")) [F0328]")))
    refused_value compile(const M&, const path&, const compile_options& = {}) {
  return {};
}

/// A model with an error has said so already.
template <class backend = f32, class M>
requires(!M::well_formed) refused_value compile(const M&, const model_weights&, const compile_options& = {}) {
  return {};
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::compile;
} // namespace fovea
