#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <fovea/runtime/passed_value.hpp>
#include <fovea/runtime/ranks/rank_group.hpp>

namespace fovea::core::detail {

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
