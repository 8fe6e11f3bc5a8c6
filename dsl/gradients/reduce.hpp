#pragma once

#include <fovea/dsl/gradients/site.hpp>

namespace fovea::core::detail {

/// sum and mean spread the gradient over their axis; max_over and min_over give it to the element that they
/// chose, the first of equals. An element of cumsum has that of all sums from it on.
template <class S>
constexpr void reduce_gradient(S& site) {
  const source_place at = site.n.at;
  graph& g = *site.d.owner;
  const auto l = [at](expr e) { return located(e, at); };
  const shape whole = site.shape_of(0);
  const int over = site.n.settings.along.axis;
  if (site.n.kind == op::cumsum)
    return site.pass(0, reverse(cumsum(reverse(site.d, axis(over), at), axis(over), at), axis(over), at));
  const expr d = with_axis(site.d, whole, over, at);
  if (site.n.kind == op::sum) return site.pass(0, stretched_to(d, whole, at));
  if (site.n.kind == op::mean)
    return site.pass(0, stretched_to(l(d) / l(size_of_axis(g, whole[over], at)), whole, at));
  const expr x = site.x(0);
  const expr largest = argmax(site.n.kind == op::max_over ? x : -l(x), axis(over), {.keep = true}, at);
  shape along;
  for (int i = over; i < whole.rank; ++i) along.push(i == over ? whole[i] : g.intern(1));
  const expr places = reshape_to(range(x, g.dim_of(whole[over]), at), along, at);
  site.pass(0, where(l(largest) == l(places), l(d), located(0.0, at), at));
}

} // namespace fovea::core::detail
