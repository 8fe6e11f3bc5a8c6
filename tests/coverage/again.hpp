#pragma once

// What a declaration and the passes do, the compiler does, and a count of lines that run sees nothing of it.
// In the build that counts, this header stands before each test: what the compiler made of a model is kept
// here with the function that made it, and again.cpp calls that once more when the program runs.
//
// The hooks are partial specialisations, constrained to be preferred to the templates of dsl/ themselves.
// Each is its template of the same thing by another name, `again<...>`, so that what runs is the template's
// own code.

#include <fovea/dsl/model.hpp>
#include <fovea/dsl/passes/gradient_graph.hpp>
#include <fovea/dsl/passes/last.hpp>
#include <fovea/dsl/passes/stream.hpp>

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

template <class source, dim time>
struct last_again {
  using made = detail::at_last_position<again<source>, time>;
  static constexpr sentence expected = about(made::built);
  static sentence found() { return about(made::build()); }
};

template <class M>
struct training_form_again {
  using made = typename training_form<again<M>>::source;
  static constexpr sentence expected = about(made::built);
  static sentence found() { return about(made::write().made); }
};

template <class declared, class graph_of, bool of_inputs, std::size_t own_outputs>
struct gradients_again {
  using made = detail::differentiated<again<declared>, graph_of, of_inputs, own_outputs>;
  static constexpr sentence expected = about(made::built);
  static sentence found() { return about(made::pruned(made::differentiate()).made); }
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
    detail::streamer pass{from, made, along, rows_apart};
    pass.make_step();
    return pass.kept_count > detail::stream_outcome::most_kept ? expected : about(made);
  }
};

template <class source, dim time>
struct begin_again {
  static constexpr sentence expected = about(detail::streamed_begin<again<source>, time>::built);
  static sentence found() {
    static constexpr const auto& step = detail::streamed_step<source, time>::result;
    const graph from = source::build();
    graph made;
    detail::streamer pass{from, made, detail::dim_of_graph(from, time)};
    pass.make_begin(step.kept_from, step.kept_state, step.kept_count);
    return about(made);
  }
};

template <class graph_of>
struct hoisted_again {
  using made = hoisted<view_again<graph_of>>;
  static constexpr sentence about(int nodes) {
    sentence s;
    return s << nodes << " nodes, those of bodies moved out of them where they can be";
  }
  static constexpr sentence expected = about(made::result.node_count);
  static sentence found() {
    auto to = made::result;
    to = {};
    detail::hoister<made::nodes> pass{made::from};
    pass.run(to);
    return about(to.node_count);
  }
};

template <class graph_of>
struct planned_again {
  using made = planned<view_again<graph_of>>;
  static constexpr sentence expected = about_plan(made::result);
  static sentence found() {
    const graph_view& view = graph_of::view;
    const auto chains = fuse_chains(view, fuse_epilogues(view, live_nodes<made::nodes>(view)));
    typename made::stage s{view};
    s.p.groups = view_turned(view, take_parts(view, chains));
    s.order();
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
    : at_last_position<coverage::again<source>, time>, coverage::kept<coverage::last_again<source, time>> {
};

template <class declared, class graph_of, bool of_inputs, std::size_t own_outputs>
requires(!coverage::is_again<declared>) struct differentiated<declared, graph_of, of_inputs, own_outputs>
    : differentiated<coverage::again<declared>, graph_of, of_inputs, own_outputs>,
      coverage::kept<coverage::gradients_again<declared, graph_of, of_inputs, own_outputs>> {
};

template <class source, dim time, bool rows_apart>
requires(!coverage::is_again<source>) struct streaming_attempt<source, time, rows_apart>
    : streaming_attempt<coverage::again<source>, time, rows_apart>,
      coverage::kept<coverage::step_again<source, time, rows_apart>> {
};

template <class source, dim time>
requires(!coverage::is_again<source>) struct streamed_begin<source, time>
    : streamed_begin<coverage::again<source>, time>, coverage::kept<coverage::begin_again<source, time>> {
};

/// A model that is refused is no error here.
template <class built>
requires(!built::error.empty()) struct report_of<built> : coverage::kept<coverage::refused_again<built>> {
};

} // namespace detail

template <class M>
requires(!coverage::is_again<M>) struct training_form<M>
    : training_form<coverage::again<M>>, coverage::kept<coverage::training_form_again<M>> {
};

template <class graph_of>
requires(!coverage::is_again<graph_of>) struct hoisted<graph_of>
    : hoisted<coverage::view_again<graph_of>>, coverage::kept<coverage::hoisted_again<graph_of>> {
};

template <class graph_of>
requires(!coverage::is_again<graph_of>) struct planned<graph_of>
    : planned<coverage::view_again<graph_of>>, coverage::kept<coverage::planned_again<graph_of>> {
};

} // namespace fovea::core
