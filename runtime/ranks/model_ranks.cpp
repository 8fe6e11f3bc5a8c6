#include <fovea/runtime/ranks/model_ranks.hpp>

#include <string>
#include <utility>

#include <fovea/base/error.hpp>

namespace fovea::core::detail {

void model_ranks::take_mean(std::span<float> values) noexcept {
  if (problem_ != nullptr) return;
  try {
    group_.mean(values);
  } catch (...) {
    problem_ = std::current_exception();
  }
}

void model_ranks::check() {
  if (problem_ != nullptr) std::rethrow_exception(std::exchange(problem_, nullptr));
}

std::shared_ptr<model_ranks> expected_ranks(int ranks, const char* model_name, const rank_group& group) {
  if (group.size() != ranks)
    throw error(std::string(model_name) + ": group: expected " + std::to_string(ranks) +
                " ranks, which compute the model together, found " + std::to_string(group.size()));
  return std::make_shared<model_ranks>(group);
}

} // namespace fovea::core::detail
