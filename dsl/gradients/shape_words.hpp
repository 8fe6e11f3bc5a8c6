#pragma once

#include <fovea/dsl/gradients/site.hpp>

namespace fovea::core::detail {

/// Where the elements went, the gradient comes back from.
template <class S>
constexpr void shape_gradient(S& site) {
  const source_place at = site.n.at;
  graph& g = *site.d.owner;
  const expr d = site.d;
  const shape whole = site.shape_of(0);
  switch (site.n.kind) {
    case op::reshape:
      return site.pass(0, reshape_to(d, whole, at));
    case op::transpose:
      return site.pass(0, transposed(d, at));
    case op::permute: {
      int back[shape::max_rank] = {};
      for (int i = 0; i < whole.rank; ++i) back[site.n.settings.permute.order[i]] = i;
      return site.pass(0, permute_axes(d, back, at));
    }
    case op::broadcast:
      return site.pass(0, d);
    case op::reverse:
      return site.pass(0, reverse(d, axis(site.n.settings.along.axis), at));
    case op::pad: {
      const pad_settings& o = site.n.settings.pad;
      const dim first = o.before;
      return site.pass(0, slice(d, axis(o.axis), first, first + g.dim_of(whole[o.axis]), at));
    }
    case op::slice: // zeros around it
      return site.pass(
          0, g.add({.kind = op::slice_gradient, .shape = whole, .settings = site.n.settings, .at = at}, d));
    case op::concat: {
      const int along = site.n.settings.along.axis;
      dim from = 0;
      for (int k = 0; k < site.n.operand_count; ++k) {
        const dim to = from + g.dim_of(site.shape_of(k)[along]);
        if (site.wants(k)) site.pass(k, slice(d, axis(along), from, to, at));
        from = to;
      }
      return;
    }
    default:
      return;
  }
}

} // namespace fovea::core::detail
