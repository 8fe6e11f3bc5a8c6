#pragma once

// What a declaration and the passes do, the compiler does, and a count of lines that run sees nothing of it.
// In the build that counts, this header stands before each test: what the compiler made of a model is kept
// here with the function that made it, and again.cpp calls that once more when the program runs.
//
// The hooks are partial specialisations, constrained to be preferred to the templates of dsl/ themselves.
// Each is its template of the same thing by another name, `again<...>`, so that what runs is the template's
// own code.

#ifdef ILL_FORMED
#define unavailable(sentence) unused // what is refused by name is called all the same
#endif

#include <fovea/dsl/model.hpp>
#include <fovea/dsl/passes/gradient_graph.hpp>
#include <fovea/dsl/passes/last.hpp>
#include <fovea/dsl/passes/stream_begin.hpp>
#include <fovea/dsl/passes/stream_step.hpp>

namespace fovea::core::coverage {

/// The same type by another name.
template <class T>
struct again : T {};
/// The same for a type that is not complete yet and of which the view is asked alone.
template <class T>
struct view_again {
  static constexpr const graph_view& view = T::view;
};
template <class T>
inline constexpr bool is_again = false;
template <class T>
inline constexpr bool is_again<again<T>> = true;
template <class T>
inline constexpr bool is_again<view_again<T>> = true;

/// What the compiler said that it made, and what says the same when the program runs.
struct evaluation {
  const char* by_compiler;
  sentence (*by_program)();
};
void keep(evaluation one);

/// Keeps the evaluation of `made`, which has `expected` and `found()`, by being instantiated.
template <class made>
struct kept {
  struct keeper {
    keeper() { keep({made::expected.text, &made::found}); }
  };
  static inline const keeper one{};
  template <const keeper&>
  struct named {};
  using uses = named<one>;
};

constexpr sentence about(const graph& g) {
  sentence s;
  if (!g.error.empty()) return g.error;
  return s << g.node_count << " nodes, " << g.operand_count << " operands, " << g.dim_count << " dims";
}
template <class plan>
constexpr sentence about_plan(const plan& p) {
  sentence s;
  return s << p.step_count << " steps, " << p.part_count << " parts, " << p.slot_count << " slots";
}

template <class F>
struct declared_again {
  using made = detail::declared<again<F>>;
  static constexpr sentence about(const graph& g) {
    return g.error.empty() && !detail::finished_graph(g).error.empty() ? detail::finished_graph(g).error
                                                                       : coverage::about(g);
  }
  static constexpr sentence expected = about(made::built);
  static sentence found() { return about(made::build()); }
};

/// What a pass made; `made` is the pass's own template.
template <class made>
struct pass_again {
  static constexpr sentence expected = about(made::built);
  static sentence found() { return about(made::build()); }
};

template <class source, dim time, bool rows_apart>
struct step_again {
  static constexpr sentence expected =
      about(detail::streaming_attempt<again<source>, time, rows_apart>::result.made);
  static sentence found() {
    const graph from = source::build();
    graph made;
    const std::uint16_t along = detail::dim_of_graph(from, time);
    if (along == 0) return expected; // said before the pass
    detail::step_writer pass{from, made, along, rows_apart};
    pass.run();
    return pass.kept_count > detail::stream_outcome::most_kept ? expected : about(made);
  }
};

template <class graph_of>
struct planned_again {
  using made = planned<view_again<graph_of>>;
  static constexpr sentence expected = about_plan(made::result);
  static sentence found() {
    const graph_view& view = graph_of::view;
    const auto chains = fuse_chains(view, fuse_epilogues(view, live_nodes<made::nodes>(view)));
    detail::orderer<made::nodes, made::regions> ordered{view};
    ordered.p.groups = view_turned(view, take_parts(view, chains));
    ordered.order();
    detail::placer<made::nodes, made::regions> s{view, ordered.p};
    s.find_last_uses();
    s.place();
    return about_plan(s.p);
  }
};

/// What asks whether a call fits a model and says why it does not.
template <class checked>
struct refused_again {
  static constexpr sentence expected = checked::error;
  static sentence found() {
    if constexpr (requires { checked::check(); })
      return checked::check();
    else
      return expected; // a graph, kept where it was made
  }
};

} // namespace fovea::core::coverage

namespace fovea::core {
namespace detail {

template <class F>
requires(!coverage::is_again<F>) struct declared<F>
    : declared<coverage::again<F>>, coverage::kept<coverage::declared_again<F>> {
};

template <class source, dim time>
requires(!coverage::is_again<source>) struct at_last_position<source, time>
    : at_last_position<coverage::again<source>, time>,
      coverage::kept<coverage::pass_again<at_last_position<coverage::again<source>, time>>> {
};

template <class writer, class before>
requires(!coverage::is_again<before>) struct written_by<writer, before>
    : written_by<writer, coverage::again<before>>,
      coverage::kept<coverage::pass_again<written_by<writer, coverage::again<before>>>> {
};

template <class before, bool of_inputs>
requires(!coverage::is_again<before>) struct differentiated<before, of_inputs>
    : differentiated<coverage::again<before>, of_inputs>,
      coverage::kept<coverage::pass_again<differentiated<coverage::again<before>, of_inputs>>> {
};

template <class before, dim time, bool rows_apart>
requires(!coverage::is_again<before>) struct streaming_attempt<before, time, rows_apart>
    : streaming_attempt<coverage::again<before>, time, rows_apart>,
      coverage::kept<coverage::step_again<before, time, rows_apart>> {
};

/// A model that is refused is no error here.
template <class built>
requires(!built::error.empty()) struct report_of<built> : coverage::kept<coverage::refused_again<built>> {
};

} // namespace detail

template <class graph_of>
requires(!coverage::is_again<graph_of>) struct planned<graph_of>
    : planned<coverage::view_again<graph_of>>, coverage::kept<coverage::planned_again<graph_of>> {
};

} // namespace fovea::core
