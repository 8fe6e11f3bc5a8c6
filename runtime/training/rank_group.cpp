#include <fovea/runtime/training/rank_group.hpp>

#include <chrono>

namespace fovea::core {

namespace {

/// Adds how long it lives.
class stopwatch {
public:
  explicit stopwatch(double& seconds) : seconds_(seconds) {}
  ~stopwatch() { seconds_ += std::chrono::duration<double>(clock::now() - start_).count(); }
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;

private:
  using clock = std::chrono::steady_clock;
  double& seconds_;
  clock::time_point start_ = clock::now();
};

} // namespace

void rank_group::sum(std::span<float> values) const {
  if (size_ == 1) return;
  const stopwatch running(engine_->seconds);
  engine_->sum(values);
}

void rank_group::broadcast(std::span<std::byte> bytes, int from) const {
  if (size_ == 1) return;
  const stopwatch running(engine_->seconds);
  engine_->broadcast(bytes, from);
}

} // namespace fovea::core
