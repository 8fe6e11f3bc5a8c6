#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fovea/dsl/node.hpp>
#include <fovea/dsl/passes/shard.hpp>
#include <fovea/runtime/training/rank_group.hpp>

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

/// What the stages of one rank computed in a step, on its way to the other ranks of a group; or the problem
/// that kept them from it.
class stage_message {
public:
  stage_message() = default;
  /// Of a copy nothing is under way.
  stage_message(const stage_message&) {}
  stage_message& operator=(const stage_message&) = delete;
  ~stage_message();

  /// Begins to bring these values from rank `from` to the others, or the problem that it has. Where the others
  /// do not know how large they are, all ranks wait to hear it.
  void begin(const rank_group& group, int from, std::vector<passed_value*> values, const std::string& problem,
             bool sizes_are_known);
  /// Waits until all is here. Gives the problem, or nothing.
  const std::string& end();
  bool is_begun() const { return is_begun_; }

private:
  void tell_sizes(const rank_group& group, int from);
  void write();
  void read();

  rank_group group_;
  bool is_begun_ = false, is_read_ = true;
  std::vector<passed_value*> values_;
  std::string problem_;
  std::vector<std::byte> bytes_;
  std::unique_ptr<transfer> under_way_;
};

} // namespace fovea::core::detail
