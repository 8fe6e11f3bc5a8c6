#pragma once

#include "shapes.hpp"

#include <array>

namespace play_amp_program {

/// In how many groups a file has the features of an array's convolutions. The network is compiled without: its
/// weights are 0 between groups, which is faster where features are few, and shapes have nothing of it.
struct array_groups {
  int conv = 1, mix = 1, layer1x1 = 1, head1x1 = 1;
  std::array<int, film_places> films{1, 1, 1, 1, 1, 1, 1, 1};

  friend bool operator==(const array_groups&, const array_groups&) = default;
};

} // namespace play_amp_program
