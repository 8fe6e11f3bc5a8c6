#pragma once

#include <span>
#include <type_traits>

#include <fovea/dsl/finished.hpp>
#include <fovea/dsl/graph_view.hpp>
#include <fovea/dsl/ill_formed.hpp>
#include <fovea/dsl/names.hpp>
#include <fovea/dsl/passes/hoist.hpp>
#include <fovea/dsl/passes/passes.hpp>
#include <fovea/dsl/plan/cost.hpp>
#include <fovea/dsl/plan/lowering.hpp>
#ifdef FOVEA_SHAPES
#include <fovea/dsl/shapes_text.hpp>
#endif

namespace fovea::core {

namespace detail {

/// Runs a declaration once, at compile time.
template <class F>
struct declared {
  static constexpr graph build() {
    graph g;
    F{}(g);
    keep_names(g);
    if (g.error.empty() && g.node_count > 0 && g.output_count == 0)
      g.fail(33, g.latest,
             "the model that ends here has no output: mend the errors above, if any, or declare ",
             "one with g.output(\"name\", value)");
    return g;
  }
  /// Reads a character of each name, which is no constant where the declaration kept it in a buffer of its
  /// own.
  static constexpr void keep_names(const graph& g) {
    for (int i = 1; i < g.scope_count; ++i) static_cast<void>(*g.text_of(g.scopes[i]) == '\0');
    for (int i = 0; i < g.parameter_count; ++i) static_cast<void>(*g.text_of(g.parameters[i]) == '\0');
    for (int i = 0; i < g.input_count; ++i) static_cast<void>(*g.inputs[i].name == '\0');
    for (int i = 0; i < g.output_count; ++i) static_cast<void>(*g.outputs[i].name == '\0');
  }
  static constexpr graph built = build();
  static constexpr sentence error = built.error.empty() ? finished_graph(built).error : built.error;
};

constexpr bool is_named(std::span<const named_value> values, const char* name) {
  for (const named_value& value : values)
    if (same_text(value.name, name)) return true;
  return false;
}

} // namespace detail

/// A declared and checked model. Each is a type of its own, by that of its declaration, or of what made
/// another model's into it: `made::built` is its graph.
template <class made>
struct well_formed_model {
  static constexpr bool well_formed = true;
  static constexpr const graph_view& view = detail::kept_graph<made>::view;
  using source = made;
  using lowered = lowering<detail::kept_graph<typename pipelines::infer<made>::result>>;

  const char* name;
  std::span<const name_rule> names = {}; // how checkpoints name its parameters

  /// Whether there is an input, or an output, of that name.
  static constexpr bool has_input(const char* name) { return detail::is_named(view.inputs, name); }
  static constexpr bool has_output(const char* name) { return detail::is_named(view.outputs, name); }

  /// How many numbers the parameters hold, every layer counted.
  static constexpr std::int64_t parameters() {
    constexpr std::int64_t count = count_parameters(view);
    return count;
  }
  /// Floating-point operations of one call at the given sizes: flops({{B, 1}, {T, 128}}).
  static constexpr std::int64_t flops(dim_sizes sizes) { return count_flops(view, sizes); }
  /// Bytes of working memory at the given capacity, parameters not counted.
  static constexpr std::int64_t arena_bytes(dim_sizes capacity) {
    return count_arena_bytes(lowered::schedule,
                             [capacity](int d) { return view.largest(d, detail::given_sizes{capacity}); });
  }
};

/// What is left of a model with an error, so that the one sentence is the only error.
template <class made>
struct ill_formed_model {
  static constexpr bool well_formed = false;
#ifdef FOVEA_SHAPES // whose text says it; a static_assert on the model says nothing more
  static constexpr detail::any_number parameters() { return {}; }
  static constexpr detail::any_number flops(dim_sizes) { return {}; }
  static constexpr detail::any_number arena_bytes(dim_sizes) { return {}; }
#else
  enum : std::size_t { reported = sizeof(detail::report_of<made>) };
#endif

  const char* name;
  std::span<const name_rule> names = {};
};

template <class made>
using model_of = std::conditional_t<made::error.empty(), well_formed_model<made>, ill_formed_model<made>>;

namespace detail {

template <class F>
concept captures_nothing = std::is_empty_v<F> && std::is_default_constructible_v<F>;
/// By reference: what takes a graph by value takes one without a name, too.
template <class F>
concept takes_graph = std::is_invocable_v<F, graph&> && !std::is_invocable_v<F, graph>;

// What a user may give for a declaration: one of these holds.
template <class F>
concept not_a_lambda = !std::is_class_v<F>;
template <class F>
concept with_captures = std::is_class_v<F> && !captures_nothing<F>;
template <class F>
concept without_graph = captures_nothing<F> && !takes_graph<F>;
/// Whether the compiler can run it. (g++ keeps what a call without arguments gives, so this costs a model
/// nothing there; by clang it costs a tenth of a second.)
template <class F>
concept runs_at_compile_time = requires {
  typename std::bool_constant<(declared<F>::build(), true)>;
};
template <class F>
concept not_constant = captures_nothing<F> && takes_graph<F> && !runs_at_compile_time<F>;
template <class F>
concept adds_nothing = captures_nothing<F> && takes_graph<F> && runs_at_compile_time<F> &&
                           declared<F>::built.node_count == 0 &&
                       declared<F>::built.error.empty();
template <class F>
concept declaration = captures_nothing<F> && takes_graph<F> && runs_at_compile_time<F> && !adds_nothing<F>;

/// In the place of a model's source where the call of model is the error.
struct no_declaration {
  static constexpr sentence error{};
};
using no_model = ill_formed_model<no_declaration>;

} // namespace detail

/// A model: its name and its declaration, a lambda that captures nothing and adds inputs, words and outputs
/// to a graph. What does not fit is a compile-time error of one sentence. `names` says how checkpoints name
/// its parameters.
template <detail::declaration F>
constexpr auto model(const char* name, F, std::span<const name_rule> names = {}) {
#ifdef FOVEA_SHAPES
  static_cast<void>(detail::shapes_of<detail::declared<F>>::text.size);
#endif
  return model_of<detail::declared<F>>{name, names};
}

// What is none. Functions for the compiler alone are refused once by g++, others twice; a capture may be
// known only when the program runs.
template <detail::not_a_lambda F>
__attribute__((
    unavailable("a declaration is a lambda, as in [](graph& g) { ... }, and no function [F0282]"))) //
consteval detail::no_model
model(const char* name, F, std::span<const name_rule> = {}) {
  return {name};
}
template <detail::with_captures F>
__attribute__((
    unavailable("a declaration captures nothing: pass what it needs as template arguments [F0283]"))) //
constexpr detail::no_model
model(const char* name, F, std::span<const name_rule> = {}) {
  return {name};
}
template <detail::without_graph F>
__attribute__((
    unavailable("a declaration takes the graph by reference, as in [](graph& g) { ... } [F0284]"))) //
consteval detail::no_model
model(const char* name, F, std::span<const name_rule> = {}) {
  return {name};
}

template <detail::adds_nothing F>
__attribute__((unavailable(
    "a declaration adds inputs, words and outputs to its graph; this one adds nothing [F0285]"))) //
consteval detail::no_model
model(const char* name, F, std::span<const name_rule> = {}) {
  return {name};
}
template <detail::not_constant F>
__attribute__((unavailable(
    "the compiler cannot run this declaration: a function that it calls lacks constexpr, or a value that it "
    "reads is known only when the program runs; mend the errors above first, if any [F0286]"))) //
consteval detail::no_model
model(const char* name, F, std::span<const name_rule> = {}) {
#ifndef __clang__ // which would say it before the sentence
  [[maybe_unused]] constexpr bool which = (detail::declared<F>::build(), true);
#endif
  return {name};
}
/// Without a name.
template <class F>
requires(std::is_class_v<F>)                                                                               //
    __attribute__((unavailable("a model has a name, as in model(\"gpt\", [](graph& g) { ... }) [F0287]"))) //
    consteval detail::no_model model(F, std::span<const name_rule> = {}) {
  return {""};
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::model;
} // namespace fovea
