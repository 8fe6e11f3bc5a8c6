#include <fovea/runtime/training/rows_of_ranks.hpp>

#include <algorithm>
#include <cstddef>

namespace fovea::core::detail {

namespace {

/// Values that stand side by side, in the tensor of all ranks, of one rank; and how often.
struct stretches {
  std::size_t length, count;

  stretches(const weight_tensor& own, int axis) : length(1), count(1) {
    for (std::size_t i = 0; i < own.shape.size(); ++i)
      (i < static_cast<std::size_t>(axis) ? count : length) *= own.shape[i];
  }
};

/// copy(place in the tensor of all ranks, place in that of the rank, length) of each stretch.
template <class F>
void for_each_stretch(const weight_tensor& own, int axis, const rank_group& group, F copy) {
  const stretches s(own, axis);
  const auto rank = static_cast<std::size_t>(group.rank()), size = static_cast<std::size_t>(group.size());
  for (std::size_t i = 0; i < s.count; ++i) copy((i * size + rank) * s.length, i * s.length, s.length);
}

} // namespace

weight_tensor rows_of_all(const weight_tensor& own, int axis, const rank_group& group) {
  if (axis < 0 || group.size() == 1) return own;
  weight_tensor all{own.shape, {}};
  all.shape[static_cast<std::size_t>(axis)] *= static_cast<std::size_t>(group.size());
  all.values.resize(own.values.size() * static_cast<std::size_t>(group.size()));
  for_each_stretch(own, axis, group, [&](std::size_t to, std::size_t from, std::size_t length) {
    std::copy_n(&own.values[from], length, &all.values[to]);
  });
  group.sum(all.values); // to which the others add zeros
  return all;
}

bool divides(const weight_tensor& all, int axis, const rank_group& group) {
  return axis < 0 || all.shape[static_cast<std::size_t>(axis)] % static_cast<std::size_t>(group.size()) == 0;
}

weight_tensor rows_of_rank(const weight_tensor& all, int axis, const rank_group& group) {
  if (axis < 0 || group.size() == 1) return all;
  weight_tensor own{all.shape, {}};
  own.shape[static_cast<std::size_t>(axis)] /= static_cast<std::size_t>(group.size());
  own.values.resize(all.values.size() / static_cast<std::size_t>(group.size()));
  for_each_stretch(own, axis, group, [&](std::size_t from, std::size_t to, std::size_t length) {
    std::copy_n(&all.values[from], length, &own.values[to]);
  });
  return own;
}

} // namespace fovea::core::detail
