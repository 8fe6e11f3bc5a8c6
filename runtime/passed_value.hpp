#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <fovea/dsl/node.hpp>
#include <fovea/dsl/passes/shard.hpp>

namespace fovea::core::detail {

/// A value that a stage of a model computed, for stages on other ranks.
struct passed_value {
  std::vector<std::byte> bytes = {};
  std::array<std::int64_t, shape::max_rank> sizes = {};

  void set(std::span<const std::byte> from, const auto& axes) {
    bytes.assign(from.begin(), from.end());
    std::ranges::copy(axes, sizes.begin());
  }
};

/// What the stages of a model have computed in a step.
struct passed_values {
  std::array<passed_value, stage_traffic::most> passed = {};   // for later stages
  std::map<std::string, passed_value, std::less<>> given = {}; // outputs of the model

  passed_value& named(const std::string& name);
};

/// The number in the name of a value that stages pass; -1: it is another's.
constexpr int number_of_passed(const char* name) {
  for (int i = 0; i < stage_traffic::most; ++i)
    if (same_text(stage_traffic::names[i], name)) return i;
  return -1;
}

} // namespace fovea::core::detail
