#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>

#include <fovea/backends/simd/context.hpp>
#include <fovea/backends/simd/steps.hpp>
#include <fovea/base/error.hpp>

namespace fovea::core::simd {

namespace {

[[noreturn]] void refuse(const node& n, const std::string& why) {
  sentence where;
  where << n.at;
  throw error(std::string(where.text) + ": " + word_of(n) + ": " + why);
}

/// A part of an axis beside the whole of it, with what lies outside and inside.
struct part_of_axis {
  size_t outer, whole, part, inner;
  part_of_axis(const context& c, const shape& all, const shape& some, int axis)
      : outer(c.elements(all, 0, axis)), whole(c.size(all[axis])), part(c.size(some[axis])),
        inner(c.elements(all, axis + 1, all.rank)) {}
};

} // namespace

scratch_floats order_scratch(context& c, const step& s) {
  return {c.size(c.shape_of(c.graph.operand(s.node, 0))[-1])};
}

void run_order(context& c, const step& s) {
  const node& n = c.graph.at(s.node);
  const int from = c.graph.operand(s.node, 0);
  const size_t size = c.size(c.shape_of(from)[-1]), count = c.size(n.shape[-1]);
  if (count > size)
    refuse(n, "expected at least " + std::to_string(count) + " elements of the last axis, found " +
                  std::to_string(size));
  const float* x = c.value(from);
  auto* out = reinterpret_cast<std::int32_t*>(c.result(s.node));
  const bool ascending = n.settings.order.ascending;
  c.run(c.rows(n.shape), [&](size_t first, size_t last, size_t thread) {
    auto* places = reinterpret_cast<std::int32_t*>(c.scratch_of(thread));
    for (size_t row = first; row < last; ++row) {
      const float* values = x + row * size;
      const auto larger = [](float a, float b) { return a > b || (std::isnan(a) && !std::isnan(b)); };
      std::iota(places, places + size, 0);
      std::partial_sort(places, places + count, places + size, [&](std::int32_t a, std::int32_t b) {
        const float left = values[ascending ? b : a], right = values[ascending ? a : b];
        return larger(left, right) || (!larger(right, left) && a < b);
      });
      std::copy_n(places, count, out + row * count);
    }
  });
}

void run_take_along(context& c, const step& s) {
  const node& n = c.graph.at(s.node);
  const int from = c.graph.operand(s.node, 0), by = c.graph.operand(s.node, 1);
  const part_of_axis a(c, c.shape_of(from), n.shape, axis_along(n));
  const std::int32_t* indices = c.integers(by);
  const size_t count = a.outer * a.part * a.inner;
  check_numbers(n, "indices", {indices, count}, a.whole);
  const float* x = c.value(from);
  float* out = c.result(s.node);
  c.run(a.outer * a.part, [&](size_t first, size_t last, size_t) {
    for (size_t row = first; row < last; ++row) {
      const float* whole = x + row / a.part * a.whole * a.inner;
      for (size_t i = 0; i < a.inner; ++i) {
        const size_t at = row * a.inner + i;
        out[at] = whole[static_cast<size_t>(indices[at]) * a.inner + i];
      }
    }
  });
}

void run_take_along_gradient(context& c, const step& s) {
  const node& n = c.graph.at(s.node);
  const int by = c.graph.operand(s.node, 0);
  const part_of_axis a(c, n.shape, c.shape_of(by), axis_along(n));
  const std::int32_t* indices = c.integers(by);
  const float* d = c.value(c.graph.operand(s.node, 1));
  float* out = c.result(s.node);
  // An element's sum runs over its indices in order, whatever the threads.
  c.run(a.outer, [&](size_t first, size_t last, size_t) {
    for (size_t o = first; o < last; ++o) {
      float* whole = out + o * a.whole * a.inner;
      std::fill_n(whole, a.whole * a.inner, 0.f);
      for (size_t at = o * a.part * a.inner; at < (o + 1) * a.part * a.inner; ++at)
        whole[static_cast<size_t>(indices[at]) * a.inner + at % a.inner] += d[at];
    }
  });
}

} // namespace fovea::core::simd
