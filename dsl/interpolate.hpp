#pragma once

#include <cstdint>
#include <limits>

#include <fovea/dsl/shape_words.hpp>

namespace fovea::core {

/// How a value between places comes of those beside it: the place before it, a straight line between two, or
/// cubic convolution of four (Keys 1981, equation 4, with a = -3/4).
enum class interpolation : std::uint8_t { nearest, linear, cubic };

/// One size is the new time of [..., T, features], and the new height and width of a batch of planes [B, H, W,
/// features]; {height, width} is that of planes whatever the leading axes.
struct interpolate_size {
  dim height = 0, width = 0;
  bool planes = false;

  constexpr interpolate_size() = default;
  constexpr interpolate_size(int both) : height(both), width(both) {}
  constexpr interpolate_size(const dim& both) : height(both), width(both) {}
  constexpr interpolate_size(const dim& h, const dim& w) : height(h), width(w), planes(true) {}
};

struct interpolate_options {
  interpolate_size to = {};
  interpolation mode = interpolation::nearest;
  bool align_corners =
      false; // the first and last places stay where they are; false: the ends of the first and last do
};

namespace detail {

/// A fraction of whole numbers in lowest terms; 0 / 0 is none.
struct fraction {
  std::int64_t over = 0, under = 0;
};

/// How many places of `from` there are for each of `to`, where that is the same at all sizes.
constexpr fraction places_for_each(const dim& from, const dim& to) {
  fraction f;
  if (from.is_number() && to.is_number())
    f = {from.number(), to.number()};
  else if (const dim more = exact_quotient(to, from); !more.overflow && more.is_number())
    f = {1, more.number()};
  else if (const dim fewer = exact_quotient(from, to); !fewer.overflow && fewer.is_number())
    f = {fewer.number(), 1};
  const std::int64_t shared = common_divisor(f.over, f.under);
  return shared == 0 ? f : fraction{f.over / shared, f.under / shared};
}

/// What a place counts for that is `distance` away, from 0 to 1 or from 1 to 2.
constexpr expr cubic_near(expr distance) { return (1.25 * distance - 2.25) * distance * distance + 1; }
constexpr expr cubic_far(expr distance) { return ((-0.75 * distance + 3.75) * distance - 6) * distance + 3; }

/// x with `to` places along an axis. A place is a whole number of shares of a source place, so that which
/// source places it lies between is exact.
constexpr expr interpolated(expr x, int along, const dim& to, const interpolate_options& o, const char* word,
                            source_place at) {
  if (!x.valid()) return x;
  graph& g = *x.owner;
  const dim from = x.size(along);
  if (from == to) return x;
  const bool numbers = from.is_number() && to.is_number();
  const fraction step = !o.align_corners || !numbers ? places_for_each(from, to)
                        : to.number() == 1           ? fraction{0, 1}
                                                     : places_for_each(from - 1, to - 1);
  const char* expected = nullptr;
  if (to.overflow || (to.is_number() && (to.number() < 1 || to.number() > graph::largest_dim)))
    expected = "expected 1 to 2147483647";
  else if (o.align_corners && !numbers)
    expected = ".align_corners expected numbers before and after";
  else if (step.under == 0)
    expected = "expected a number of times as many, or a share of them";
  if (expected != nullptr)
    return g.fail(387, at, word, ": axis ", along, " of ", x, " has ", from, " places; ", expected,
                  ", found ", to);
  const bool halves = !o.align_corners && o.mode != interpolation::nearest; // a place is its middle
  const std::int64_t shares = halves ? 2 * step.under : step.under;
  if (constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
      shares > most || (to.is_number() && to.number() > most / 2 / (step.over > 0 ? step.over : 1)))
    return g.fail(388, at, word, ": from ", from, " to ", to,
                  " places: expected a product of the sizes below ", most / 2, ", or a common divisor");

  const reported_at user(x, at.as(word));
  const int over = static_cast<int>(step.over), under = static_cast<int>(shares);
  const expr place = range(x, to);
  const expr share = halves ? (2 * place + 1) * over - static_cast<int>(step.under) : place * over;
  const expr before = share / under; // rounded down
  const expr beyond = to_float(share - before * under) / under, end = last(range(x, from), 0);

  // Rows of what lies behind the axis, and the number of the first one for each place before it.
  dim outside = 1, inside = 1;
  for (int i = 0; i < along; ++i) outside = outside * x.size(i);
  for (int i = along + 1; i < x.rank(); ++i) inside = inside * x.size(i);
  const expr rows = reshape(x, {outside * from, inside});
  const expr first = slice(reshape(range(x, outside * from), {outside, from}), 1, 0, 1);
  const auto at_place = [&](int after) { return gather(rows, first + max(min(before + after, end), 0)); };
  const auto weighed = [&](int after, expr weight) { return at_place(after) * unsqueeze(weight, 1); };
  expr y = x;
  if (o.mode == interpolation::nearest)
    y = at_place(0);
  else if (o.mode == interpolation::linear)
    y = weighed(0, 1 - beyond) + weighed(1, beyond);
  else
    y = weighed(-1, cubic_far(beyond + 1)) + weighed(0, cubic_near(beyond)) +
        weighed(1, cubic_near(1 - beyond)) + weighed(2, cubic_far(2 - beyond));
  shape made = g.shape_of(x);
  made[along] = g.intern(to);
  return reshape_to(y, made, at.as(word));
}

} // namespace detail

/// x with another number of places along its time, or along its height and width, each place a mean of those
/// of x beside where it lies: [..., T, features] -> [..., to, features], [..., H, W, features] -> [..., height,
/// width, features]. Place i lies at (i + 1/2) from/to - 1/2, with .align_corners at i (from - 1)/(to - 1), and
/// the nearest is floor(i from/to). Places beyond an end are those at the end. Sizes known only at run time
/// are a number of times the old ones, or a share of them.
constexpr expr interpolate(expr x, interpolate_options options,
                           source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  constexpr const char* word = "interpolate";
  if (!detail::is_float(x, at, word)) return {x.owner};
  graph& g = *x.owner;
  const int axes = options.to.planes || x.rank() == 4 ? 2 : 1;
  if (x.rank() <= axes)
    return g.fail(385, at, word, ": expected ",
                  axes == 1 ? "[..., time, features]" : "[..., height, width, features]", ", found ", x);
  if (options.align_corners && options.mode == interpolation::nearest)
    return g.fail(
        386, at, word,
        ": .align_corners is of linear and cubic interpolation; the nearest place has no use for it");
  if (axes == 2) x = detail::interpolated(x, x.rank() - 3, options.to.height, options, word, at);
  return x.valid() ? detail::interpolated(x, x.rank() - 2, options.to.width, options, word, at) : x;
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::interpolate, core::interpolate_options, core::interpolate_size, core::interpolation;
} // namespace fovea
