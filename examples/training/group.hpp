#pragma once

#include <fovea/backends/xtensor.hpp>
#include <fovea/runtime/ranks/rank_group.hpp>
#include <fovea/runtime/training/length_buckets.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace training {

/// The ranks that learn a run together: those that mpirun or a scheduler started, where MPI was there when
/// this was built; else this process alone.
fovea::rank_group group();

/// The rows that each rank takes of a batch. Throws fovea::error where they cannot be as many.
int share_of(int batch, const fovea::rank_group& group);

/// The examples of a batch, and behind the last one the first ones again until the ranks can take as many each.
std::vector<std::size_t> filled(std::span<const std::size_t> batch, const fovea::rank_group& group);

/// Of the rows of a batch, the first axis, those that this rank takes.
template <class T, std::size_t axes>
xt::xtensor<T, axes> share_of(const xt::xtensor<T, axes>& batch, const fovea::rank_group& group) {
  auto shape = batch.shape();
  shape[0] /= static_cast<std::size_t>(group.size());
  xt::xtensor<T, axes> rows(shape);
  std::copy_n(batch.data() + rows.size() * static_cast<std::size_t>(group.rank()), rows.size(), rows.data());
  return rows;
}
/// As long as the longest line of the batch.
inline fovea::padded_lines share_of(const fovea::padded_lines& batch, const fovea::rank_group& group) {
  return {share_of(batch.tokens, group), share_of(batch.lengths, group)};
}

/// What each rank tells, bit for bit, in their order. All ranks call it.
std::vector<std::uint64_t> told_by_each(std::uint64_t own, const fovea::rank_group& group);
std::vector<double> told_by_each(double own, const fovea::rank_group& group);

/// The sums of all ranks over their weights.
double mean_of(double sum, double weight, const fovea::rank_group& group);
/// A mean, and over how much.
struct part_of_mean {
  double mean = 0, weight = 0;
};
/// The mean over parts 0 to `count` - 1, each of which one rank looks at: look(i) gives a part_of_mean.
template <class F>
double mean_over(std::size_t count, const fovea::rank_group& group, F look) {
  double sum = 0, weight = 0;
  for (auto i = static_cast<std::size_t>(group.rank()); i < count;
       i += static_cast<std::size_t>(group.size())) {
    const part_of_mean one = look(i);
    sum += one.weight * one.mean;
    weight += one.weight;
  }
  return mean_of(sum, weight, group);
}

} // namespace training
