#pragma once

#include <fovea/dsl.hpp>

namespace identity {

inline constexpr fovea::dim B{"B"};

template <int width>
inline constexpr auto narrow = fovea::model("narrow", [](fovea::graph& g) {
  g.output("y", linear(g.input<fovea::f32>("x", {B, width}), "w", 2));
});

using declared = std::remove_const_t<decltype(narrow<3>)>;

/// What another translation unit sees of narrow<3>.
const declared* elsewhere();
const fovea::core::node* nodes_elsewhere();

} // namespace identity
