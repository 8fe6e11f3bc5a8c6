#pragma once

#include <fovea/runtime/ranks/rank_group.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace training {

/// How long a rank's own part of a step takes: what it waits for other ranks does not count.
class pace {
public:
  explicit pace(fovea::rank_group group) : group_(std::move(group)) {}

  void begin() { start_ = clock::now(), waited_ = group_.seconds_waited(); }
  void end() {
    seconds_ +=
        std::chrono::duration<double>(clock::now() - start_).count() - (group_.seconds_waited() - waited_);
    ++steps_;
  }
  /// The mean over the steps so far, 0 before the first.
  double seconds_of_step() const { return steps_ > 0 ? seconds_ / static_cast<double>(steps_) : 0; }

private:
  using clock = std::chrono::steady_clock;
  fovea::rank_group group_;
  clock::time_point start_{};
  double waited_ = 0, seconds_ = 0;
  std::int64_t steps_ = 0;
};

/// "rank 3 took 1.31 times as long for its part of a step as the median rank": of the slowest rank, by the seconds of
/// each, where it takes 1.2 times the median or more.
std::optional<std::string> slow_rank(const std::vector<double>& seconds);

} // namespace training
