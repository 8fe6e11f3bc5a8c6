#pragma once

#include <fovea/dsl/dim.hpp>

namespace fovea::core {

/// The passes, each in the header of its name. A pass has a `name` and, of a type whose `built` is a graph,
/// the type `made` of that graph after it, which has an `error` as well.
namespace passes {

struct hoist;
struct training_form;
template <bool of_inputs>
struct differentiate;
struct prune;
struct attention_maps;
template <dim time>
struct stream_begin;
template <dim time>
struct stream_step;

} // namespace passes

/// Passes one after the other, over the graph of `source`, as far as they can make one.
template <class source, class... all>
struct pipeline {
  using result = source;
  template <class F>
  static constexpr void each_stage(const F&) {}
};
template <class source, class first, class... rest>
requires(source::error.empty()) struct pipeline<source, first, rest...> {
  using made = typename first::template made<source>;
  using result = typename pipeline<made, rest...>::result;
  /// visit.operator()<stage>(name) for the graph after each pass, in their order.
  template <class F>
  static constexpr void each_stage(const F& visit) {
    visit.template operator()<made>(first::name);
    pipeline<made, rest...>::each_stage(visit);
  }
};

/// What is done to a graph from its declaration on, before it is planned.
namespace pipelines {

/// To compute its outputs.
template <class source>
using infer = pipeline<source, passes::hoist>;

/// To see the weights of its attentions, in place of its outputs.
template <class source>
using maps = pipeline<source, passes::attention_maps, passes::prune>;

/// To stream it: what is computed once, and what for each of its steps.
template <class source, dim time>
using stream_begin = pipeline<source, passes::stream_begin<time>, passes::hoist>;
template <class source, dim time>
using stream_step = pipeline<source, passes::stream_step<time>, passes::hoist>;

/// To compute gradients; and the same of the model as it is while it is trained.
template <class source, bool of_inputs>
using differentiate =
    pipeline<source, passes::hoist, passes::differentiate<of_inputs>, passes::prune, passes::hoist>;
template <class source, bool of_inputs>
using learn = pipeline<source, passes::training_form, passes::hoist, passes::differentiate<of_inputs>,
                       passes::prune, passes::hoist>;

} // namespace pipelines

} // namespace fovea::core
