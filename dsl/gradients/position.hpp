#pragma once

#include <fovea/dsl/gradients/site.hpp>
#include <fovea/dsl/position.hpp>

namespace fovea::core::detail {

/// rope turns features, an orthogonal map: its gradient is turned back.
template <class S>
constexpr void rope_gradient(S& site) {
  node back = site.n;
  back.settings.rope.turned_back = !back.settings.rope.turned_back;
  site.pass(0, site.d.owner->add(back, site.d));
}

} // namespace fovea::core::detail
