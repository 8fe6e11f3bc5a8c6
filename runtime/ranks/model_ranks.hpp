#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <span>

#include <fovea/backends/rank_means.hpp>
#include <fovea/runtime/ranks/rank_group.hpp>
#include <fovea/weights/parameters.hpp>
#include <fovea/weights/part_of_rank.hpp>

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

/// Throws fovea::error where the group has another number of ranks than the model says.
std::shared_ptr<model_ranks> expected_ranks(int ranks, const char* model_name, const rank_group& group);

/// The ranks of a model that several compute. Of another it is nothing, and its program links nothing for it.
template <class model>
class ranks_of_model {
public:
  ranks_of_model(const char* model_name, const rank_group& group) {
    if constexpr (are_several) ranks_ = expected_ranks(model::view.ranks, model_name, group);
  }
  /// What an engine has to know of them, and what it draws by.
  void tell(auto& engine, std::uint64_t seed = 0, std::uint64_t step = 0) const {
    engine.set_random({seed, step, 0, ranks_.get()});
  }
  /// After a call: throws what kept the ranks from a sum.
  void check() const {
    if constexpr (are_several) ranks_->check();
  }
  static rank_of_parameters parameters(const rank_group& group) {
    if constexpr (are_several)
      return {group.rank(), part_of_rank};
    else
      return {};
  }

private:
  static constexpr bool are_several = model::view.ranks > 1;
  std::shared_ptr<model_ranks> ranks_;
};

} // namespace fovea::core::detail
