#include <fovea/backends/reference/select.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fovea::core::reference_ops {

array order(const array& x, std::size_t count, bool ascending, source_place at) {
  const std::size_t n = x.shape().back();
  if (count > n)
    fail(at, "top_k: expected at least " + std::to_string(count) + " elements of the last axis of " +
                 shape_text(x.shape()) + ", found " + std::to_string(n));
  array_shape shape = shape_of(x);
  shape.back() = count;
  array made = filled(shape, 0);
  const auto larger = [](double a, double b) { return a > b || (std::isnan(a) && !std::isnan(b)); };
  for (std::size_t row = 0; n > 0 && row < x.size() / n; ++row) {
    const double* from = x.data() + row * n;
    std::vector<std::size_t> places(n);
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::ranges::sort(places, [&](std::size_t a, std::size_t b) {
      const double left = from[ascending ? b : a], right = from[ascending ? a : b];
      return larger(left, right) || (!larger(right, left) && a < b);
    });
    for (std::size_t i = 0; i < count; ++i) made.data()[row * count + i] = static_cast<double>(places[i]);
  }
  return made;
}

namespace {

/// Calls f(place in the whole, place in the part) for each index of a part [before, m, after] of an axis.
template <class F>
void for_places(const array& indices, std::size_t axis, std::size_t size, F f) {
  const blocks part = blocks_around(indices, axis);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::size_t before = i / (part.size * part.after), after = i % part.after;
    f((before * size + static_cast<std::size_t>(indices.data()[i])) * part.after + after, i);
  }
}

} // namespace

array take_along(const array& x, const array& indices, std::size_t axis, source_place at) {
  check_numbers(at, "take_along", "indices", indices, x.shape(axis));
  array made = filled(shape_of(indices), 0);
  for_places(indices, axis, x.shape(axis),
             [&](std::size_t from, std::size_t to) { made.data()[to] = x.data()[from]; });
  return made;
}

array put_along(const array& indices, const array& d, const array_shape& shape, std::size_t axis) {
  array made = filled(shape, 0);
  for_places(indices, axis, shape[axis],
             [&](std::size_t to, std::size_t from) { made.data()[to] += d.data()[from]; });
  return made;
}

} // namespace fovea::core::reference_ops
