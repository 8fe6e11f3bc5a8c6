#include "networks.hpp"
#include "network.hpp"

#include <fovea/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace forecast_program {

const std::array<known_network, 2> known_networks{
    {{short_range.horizon, short_range.context, open_short_range},
     {long_range.horizon, long_range.context, open_long_range}}};

const known_network& network_of(int horizon, std::string_view where) {
  const auto found = std::ranges::find(known_networks, horizon, &known_network::horizon);
  if (found == known_networks.end())
    throw fovea::error(
        fmt::format("{}: expected a horizon that the program is compiled for, {} or {}; found {}", where,
                    known_networks[0].horizon, known_networks[1].horizon, horizon));
  return *found;
}

} // namespace forecast_program
