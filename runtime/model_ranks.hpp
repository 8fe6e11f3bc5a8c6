#pragma once

#include <exception>
#include <memory>
#include <span>

#include <fovea/backends/rank_means.hpp>
#include <fovea/dsl/graph_view.hpp>
#include <fovea/runtime/training/rank_group.hpp>

namespace fovea::core::detail {

/// The ranks that compute a model together, as its steps see them.
class model_ranks final : public rank_means {
public:
  explicit model_ranks(rank_group group) : group_(std::move(group)) {}

  int ranks() const noexcept override { return group_.size(); }
  void take_mean(std::span<float> values) noexcept override;
  /// Throws what kept the ranks from a sum in the last call.
  void check();

private:
  rank_group group_;
  std::exception_ptr problem_;
};

/// Those of a model that is computed by several; none of another. Throws fovea::error where the group has another number
/// of ranks than the model says.
std::shared_ptr<model_ranks> ranks_of(const graph_view& graph, const char* model_name,
                                      const rank_group& group);

} // namespace fovea::core::detail
