#pragma once

#include <fovea/dsl/ill_formed.hpp>
#include <fovea/dsl/model.hpp>

namespace fovea::programs {
namespace detail {

constexpr bool has_dim(const core::table_view<dim>& forms, const dim& symbol) {
  for (const dim& form : forms)
    if (form.mentions(symbol)) return true;
  return false;
}

constexpr void write_dims(core::sentence& s, const core::table_view<dim>& forms) {
  const char* before = "";
  for (std::size_t i = 0; i < forms.size(); ++i)
    for (int a = 0; a < forms[i].atom_count; ++a) {
      const core::dim::atom& one = forms[i].atoms[a];
      if (one.divisor != 0 || has_dim({forms.begin(), i}, dim::symbol(one.symbol))) continue;
      s << before << one.symbol;
      before = ", ";
    }
}

/// Why a size is told of a dim that a model does not have; empty: it has each.
template <class M, dim... told>
struct checked_dims {
  static constexpr core::sentence error = [] {
    core::sentence s;
    const core::graph_view& g = M::view;
    for (const dim& one : {told...}) {
      if (has_dim(g.forms, one)) continue;
      s << g.at(g.outputs[0].node).at << ": CAPACITY " << one << ": the model has no such dim; its dims are ";
      write_dims(s, g.forms);
      s << core::sentence_id{351};
      break;
    }
    return s;
  }();
};

} // namespace detail

/// That a model has the dims whose sizes a build tells. Where it lacks one, the one error is the sentence that says so.
template <class M, dim... told>
inline constexpr bool has_dims = [] {
  if constexpr (M::well_formed && sizeof...(told) > 0)
    static_cast<void>(sizeof(core::detail::report_of<detail::checked_dims<M, told...>>));
  return true;
}();

} // namespace fovea::programs
