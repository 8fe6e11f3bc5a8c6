#pragma once

#include <fovea/dsl/ill_formed.hpp>
#include <fovea/dsl/model.hpp>
#include <fovea/dsl/passes/gradient_graph.hpp>
#include <fovea/dsl/passes/stream_begin.hpp>
#include <fovea/dsl/passes/stream_step.hpp>

#include <ostream>
#include <span>
#include <vector>

namespace fovea::core {

/// A model's graph after a pass.
struct pass_graph {
  const char* pass;
  const graph_view* graph;
};

namespace detail {

template <class pipeline>
void add_passes(std::vector<pass_graph>& to) {
  pipeline::each_stage([&]<class made>(const char* name) {
    static_cast<void>(sizeof(report_of<made>)); // a sentence, where the pass cannot be made of this model
    to.push_back({name, &kept_graph<made>::view});
  });
}

} // namespace detail

/// What the passes make of a model, in their order: from its declaration to the graph that computes its
/// outputs.
template <class M>
requires(M::well_formed) std::vector<pass_graph> passes_to_infer(const M&) {
  std::vector<pass_graph> all{{"declare", &M::view}};
  detail::add_passes<pipelines::infer<typename M::source>>(all);
  return all;
}
/// The same to stream it along `time`: first what a stream computes once, then its step.
template <dim time, class M>
requires(M::well_formed) std::vector<pass_graph> passes_to_stream(const M&) {
  std::vector<pass_graph> all{{"declare", &M::view}};
  detail::add_passes<pipelines::stream_begin<typename M::source, time>>(all);
  detail::add_passes<pipelines::stream_step<typename M::source, time>>(all);
  return all;
}
/// The same to train it: the gradients of its output "loss", of its form in training.
template <class M>
requires(M::well_formed) std::vector<pass_graph> passes_to_learn(const M&) {
  std::vector<pass_graph> all{{"declare", &M::view}};
  detail::add_passes<pipelines::learn<typename M::source, false>>(all);
  return all;
}

/// Prints a graph, a line for each operation: its number, what it is of, its shape, the parameter, input or
/// output that it is. What is in the body of a repeat or scan stands below its line, indented. For example
///
///   describe(passes_to_learn(char_lm), std::cout);
void describe(const pass_graph& of, std::ostream& out);
void describe(std::span<const pass_graph> all, std::ostream& out);

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::describe, core::pass_graph, core::passes_to_infer, core::passes_to_learn, core::passes_to_stream;
} // namespace fovea
