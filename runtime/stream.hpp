#pragma once

#include <cstdint>

#include <fovea/runtime/streamed.hpp>

namespace fovea::core {

/// By how many positions the outputs of a model come later where it is streamed along a dim: 0 for a causal
/// one. A constant: latency(model, T) == 8. A model that cannot be streamed is a compile-time error.
template <class M>
requires(M::well_formed) consteval std::int64_t latency(const M&, const dim& time) {
  graph made;
  made.current_scope = 0;
  const std::uint16_t along = detail::dim_of_graph(M::source::built, time);
  if (along == 0) impossible("latency: the model has no such dim");
  detail::step_writer pass(M::source::built, made, along);
  if (!pass.find_shifts())
    impossible("latency: the model cannot be streamed along this dim; stream says why");
  return pass.latency;
}

namespace detail {

/// Whether it streams a model at all shows when the model is known to be causal.
template <class named>
concept streams_in = is_weight_format<named> || requires {
  typename named::stream_code;
};

} // namespace detail

/// What the headers that fovea_add_model writes call: the entry points with code that is generated elsewhere.
namespace generated {

/// stream with generated code of one of the given instruction sets, or where none is given of that in use.
template <dim time, class named, simd::set_name... sets, class M>
requires(M::well_formed) auto stream(const M& model, const model_weights& source,
                                     const compile_options& options,
                                     const typename backend_of<named>::stream_code& code) {
  return streamed<M, time, backend_of<named>>(model, source, options, format_named<named>,
                                              in_format<named, sets...>(code));
}

/// A model with an error has said so already.
template <dim time, class named, simd::set_name... sets, class M>
requires(!M::well_formed) refused_value stream(const M&, const model_weights&, const compile_options&,
                                               const typename backend_of<named>::stream_code&) {
  return {};
}

} // namespace generated

/// Makes a model that is causal along `time` move along it: stream<T>(model, weights, {.capacity = {{B, 1},
/// {T, 512}}}). The capacity of `time` is the most positions in a step, and where the model keeps them all or
/// has their numbers (attention without a window, learned positions) between two begins; others go on without
/// end. With weights in another format it is stream<T, q8_0>(...). A model that looks ahead by a number of
/// positions gives them so many later (`latency`); one that looks ahead without bound is a compile-time error
/// that names the operation. Throws fovea::error where weights, capacity and model do not fit.
template <dim time, class format = f32, class M>
requires(M::well_formed&& detail::streams_in<format>) auto stream(const M& model, const model_weights& source,
                                                                  const compile_options& options = {}) {
  using stepping = detail::streamed_step<typename M::source, time>;
  if constexpr (stepping::error.empty()) {
    return generated::stream<time, format>(model, source, options,
                                           backend_of<format>::template code_of_stream<M, time>());
  } else {
    static_cast<void>(sizeof(detail::report_of<stepping>));
    return refused_value{};
  }
}
template <dim time, class format, class M>
requires(M::well_formed && !detail::streams_in<format>) //
    __attribute__((unavailable("a stream has weights in " FOVEA_FORMATS " [F0297]"))) refused_value
    stream(const M&, const model_weights&, const compile_options& = {}) {
  return {};
}
/// Without the dim.
template <class M>
requires(M::well_formed) //
    __attribute__((unavailable("a stream moves along a dim, as in stream<T>(model, weights) [F0329]")))
    refused_value stream(const M&, const model_weights&, const compile_options& = {}) {
  return {};
}
template <dim time, class format = f32, class M>
requires(!M::well_formed) refused_value stream(const M&, const model_weights&, const compile_options& = {}) {
  return {};
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::latency, core::stream;
} // namespace fovea
