#include <fovea/runtime/training/rank_group.hpp>

namespace fovea::core {

void rank_group::sum(std::span<float> values) const {
  if (size_ > 1) engine_->sum(values);
}

void rank_group::broadcast(std::span<std::byte> bytes, int from) const {
  if (size_ > 1) engine_->broadcast(bytes, from);
}

} // namespace fovea::core
