#pragma once

#include <fovea/programs/number_network.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace fovea::programs {

/// Moves a network along a sequence. What comes out is given to a sink position by position, without the
/// zeros that a network which looks ahead begins with.
class sequence {
public:
  using sink = std::function<void(std::span<const float>)>;

  /// `most` positions are the capacity of the network.
  sequence(number_network& network, std::size_t most, sink give);

  /// More positions [n, input width]. They wait until as many have come as a step takes.
  void take(std::span<const float> positions);
  /// What is still to come, and another sequence begins. Throws fovea::error where positions are left that make
  /// no step; `place` says where.
  void end(const std::string& place);

private:
  void give(std::span<const float> values, std::size_t positions);

  number_network& network_;
  std::size_t most_;
  sink give_;
  std::vector<float> waiting_;
  std::size_t taken_ = 0, early_ = 0; // positions; early_: of those that come out, zeros
};

} // namespace fovea::programs
