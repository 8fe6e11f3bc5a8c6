#include <fovea/runtime/ranks/rank_group.hpp>

#include <chrono>

namespace fovea::core {

namespace {

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace

rank_group::waiting::waiting(const rank_group& group) : group_(group), start_(seconds()) {}

rank_group::waiting::~waiting() {
  if (group_.engine_) group_.engine_->seconds_waited += seconds() - start_;
}

void rank_group::sum(std::span<float> values) const {
  if (size_ == 1) return;
  const waiting now(*this);
  engine_->sum(values);
}

void rank_group::mean(std::span<float> values) const {
  sum(values);
  for (float& x : values) x /= static_cast<float>(size_);
}

void rank_group::broadcast(std::span<std::byte> bytes, int from) const {
  if (size_ == 1) return;
  const waiting now(*this);
  engine_->broadcast(bytes, from);
}

std::unique_ptr<transfer> rank_group::begin_exchange(std::span<const std::byte> from,
                                                     std::span<const std::size_t> ends,
                                                     std::span<std::byte> to) const {
  return engine_->begin_exchange(from, ends, to);
}

std::unique_ptr<transfer> rank_group::begin_gather(std::span<std::byte> bytes,
                                                   std::span<const std::size_t> ends) const {
  return engine_->begin_gather(bytes, ends);
}

} // namespace fovea::core
