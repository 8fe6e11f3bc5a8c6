#pragma once

#include <fovea/dsl/graph_view.hpp>

namespace fovea::core {

/// Whether a node runs at each step of a scan.
inline bool inside_scan(const graph_view& g, int id) {
  for (int r = g.at(id).region; r > 0; r = g.region(r).parent)
    if (g.region(r).is_scan()) return true;
  return false;
}

} // namespace fovea::core
