#pragma once

#include <fovea/dsl/passes/last.hpp>

#include <type_traits>

namespace fovea::programs {
namespace detail {

/// The graph that a model was declared with: of one that gives the last position alone, that of all positions.
template <class source>
struct whole_graph {
  using type = source;
};
template <class source, dim time>
struct whole_graph<core::detail::at_last_position<source, time>> : whole_graph<source> {};

template <class M>
struct whole_model;
template <template <class> class kind, class source>
struct whole_model<kind<source>> {
  using graph = typename whole_graph<source>::type;
  using type = core::model_of<graph>;
  static constexpr bool gives_last = !std::is_same_v<graph, source>;
};

} // namespace detail

/// The model that a program was given, of which it may take the last position alone.
template <class M>
using whole_model = typename detail::whole_model<M>::type;
/// Whether it does.
template <class M>
inline constexpr bool gives_last = detail::whole_model<M>::gives_last;

} // namespace fovea::programs
