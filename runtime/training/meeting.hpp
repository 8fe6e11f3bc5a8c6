#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fovea/base/error.hpp>
#include <fovea/runtime/ranks/rank_group.hpp>

namespace fovea::core::detail {

/// What the ranks of a group do together.
enum class occasion { train, step, save, resume };

/// Where the ranks of a group hear of each other before they do something together, so that all do it, or all
/// refuse it. None of this costs anything for who learns alone.
class meeting {
public:
  static constexpr std::size_t count = 4;
  using numbers = std::array<float, count>;

  explicit meeting(rank_group group) : group_(std::move(group)) {}

  bool is_alone() const { return group_.size() == 1; }
  int rank() const { return group_.rank(); }
  int size() const { return group_.size(); }
  const rank_group& group() const { return group_; }

  /// Does this rank's own part. Where it throws, it tells the ranks that wait in `meet`.
  template <class F>
  void attempt(occasion what, F own_part) const {
    if (is_alone()) return own_part();
    try {
      own_part();
    } catch (const refusal&) { // the others know
      throw;
    } catch (const std::exception& problem) {
      tell(what, problem.what());
      throw;
    }
  }

  /// Waits for all ranks, and gives the numbers that they tell, rank by rank. Throws fovea::error on every rank where one
  /// cannot go on, or is here for something else.
  std::vector<float> meet(occasion what, const numbers& told = {}) const;

  /// The sum of what each rank tells, added in their order.
  double total(occasion what, double told) const;

  /// Meets, and throws fovea::error on every rank where a rank has another digest than rank 0: "train: rank 1
  /// `found` than rank 0; expected `expected`".
  void expect_same(occasion what, std::uint64_t digest, std::string_view found,
                   std::string_view expected) const;

private:
  struct refusal : error {
    using error::error;
  };
  /// The 64 bits that each rank tells.
  std::vector<std::uint64_t> meet(occasion what, std::uint64_t told) const;
  void tell(occasion what, const std::string& problem) const noexcept;
  /// For each rank what it is here for, whether it cannot go on, and its numbers.
  std::vector<float> exchange(occasion what, bool refuses, const numbers& told) const;
  /// The text of the first rank that refuses; `own` on that one.
  std::string problem_of(int refusing, const std::string& own) const;

  rank_group group_;
};

} // namespace fovea::core::detail
