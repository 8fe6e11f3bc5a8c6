#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include <fovea/dsl/passes/derived_model.hpp>
#include <fovea/dsl/passes/stream_begin.hpp>
#include <fovea/dsl/passes/stream_step.hpp>
#include <fovea/runtime/calls/inputs.hpp>
#include <fovea/runtime/calls/outputs.hpp>

namespace fovea::core::detail {

/// The calls that do not fit a stream, in a base as those of `refused_calls`.
template <class source, dim time>
class refused_stream_calls {
  using begin_model = begin_of<source, time>;
  using step_model = step_of<source, time>;

public:
  template <fixed_name... names, class... values,
            class why = refusal<checked_call<begin_model, names...>,
                                checked_value<begin_model, names, std::decay_t<values>>...>>
  __attribute__((unavailable("the call does not fit the model"))) void
  begin(const binding<names, values>&...) {}
  template <class... values>
  requires(sizeof...(values) > 0 && !(is_binding<values> && ...)) //
      __attribute__((unavailable("an input has no name; expected live.begin(\"source\"_in = "
                                 "values) [F0291]"))) void begin(const values&...) {}

  template <fixed_name... names, class... values,
            class why = refusal<checked_call<step_model, names...>,
                                checked_value<step_model, names, std::decay_t<values>>...>>
  __attribute__((unavailable("the call does not fit the model"))) refused_value
  step(const binding<names, values>&...) & {
    return {};
  }
  template <fixed_name... names, class... values,
            class why = refusal<checked_call<step_model, names...>,
                                checked_value<step_model, names, std::decay_t<values>>...>>
  __attribute__((unavailable("the call does not fit the model"))) void
  begin_step(const binding<names, values>&...) {} // of a stream in stages

  template <fixed_name... names, class... values,
            class why = refusal<checked_call<step_model, names...>,
                                checked_value<step_model, names, std::decay_t<values>>...>>
  __attribute__((unavailable("the call does not fit the model"))) refused_value
  step(std::span<const std::size_t>, const binding<names, values>&...) {
    return {};
  }

  template <class step = streamed_step<source, time>>
  requires(step::result.latency == 0) //
      __attribute__((unavailable("the model looks at no later position: nothing is to come after the steps "
                                 "[F0295]"))) refused_value finish(std::size_t = 0) {
    return {};
  }
  template <class step = streamed_step<source, time>>
  requires(step::result.latency == 0) //
      __attribute__((unavailable(
          "the model looks at no later position: a row may be reset at once [F0296]"))) void end(std::
                                                                                                     size_t) {
  }
  template <class step = step_model>
  requires(batch_of(step::view, time) == 0) //
      __attribute__((unavailable("the inputs of the step have no batch axis before time: there is one row "
                                 "[F0298]"))) void reorder(std::span<const std::size_t>) {}
};

} // namespace fovea::core::detail
