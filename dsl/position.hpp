#pragma once

#include <fovea/dsl/attention.hpp>

namespace fovea::core {

namespace detail {

/// The axis of positions: of ids [B, T] or [T], of features [B, T, features] or [T, features].
constexpr int time_axis(expr x) {
  const bool ids = x.owner->nodes[x.id].type == element::i32;
  return x.rank() > (ids ? 1 : 2) ? 1 : 0;
}

} // namespace detail

struct learned_positions_options {
  dim context = 0; // how many positions have a vector
  dim width = 0;
  core::init init = {};
  int offset = 0; // the row of the first position
};

/// A learned vector for each position of x, which is ids [B, T] or features [B, T, features] (B may be
/// missing): [T, width]. Makes name.weight [context, width]; T + offset is at most context.
constexpr expr learned_positions(expr x, const name_text& name, learned_positions_options options,
                                 source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const graph::named who{"learned_positions", name};
  if (x.owner == nullptr || !x.owner->usable(x, at, who)) return {x.owner};
  graph& g = *x.owner;
  if (x.rank() < 1) return g.fail(121, at, who, ": expected an axis of positions, found ", x);
  if (!options.context.is_number() || options.context.number() < 1 || !options.width.is_number() ||
      options.width.number() < 1)
    return g.fail(122, at, who, ": expected a .context and a .width of at least 1, found ", options.context,
                  " and ", options.width);
  const dim length = x.size(detail::time_axis(x));
  const std::int64_t rows = options.context.number() - options.offset;
  if (options.offset < 0 || rows < 1)
    return g.fail(123, at, who, ": expected an .offset of 0 to ", options.context.number() - 1, ", found ",
                  options.offset);
  if (length.is_number() && length.number() > rows)
    return options.offset == 0 ? g.fail(124, at, who, ": the ", length, " positions of ", x,
                                        " exceed the context of ", options.context)
                               : g.fail(125, at, who, ": the ", length, " positions of ", x, " from .offset ",
                                        options.offset, " exceed the context of ", options.context);
  const reported_at user(x, at.as("learned_positions"));
  expr positions = range(x, length);
  if (options.offset > 0) positions = positions + options.offset;
  return embedding(positions, name, options.context, options.width, options.init);
}

struct sinusoidal_options {
  dim width = 0; // 0: the features of x
  double base = 10000;
};

/// sin and cos of position / base^(2i / width), interleaved (Vaswani et al. 2017, section 3.5): [T, width].
constexpr expr sinusoidal_positions(expr x, sinusoidal_options options = {},
                                    source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (x.owner == nullptr || !x.owner->usable(x, at, "sinusoidal_positions")) return {x.owner};
  graph& g = *x.owner;
  if (x.rank() < 1) return g.fail(126, at, "sinusoidal_positions: expected an axis of positions, found ", x);
  const dim width = options.width == dim(0) ? x.size(-1) : options.width;
  if (!width.is_number() || width.number() < 2 || width.number() % 2 != 0)
    return g.fail(127, at, "sinusoidal_positions: expected an even number of features, found ", width);
  if (!(options.base > 0 && is_finite(options.base)))
    return g.fail(128, at, "sinusoidal_positions: expected a finite base above 0, found ", options.base);
  shape s;
  if (!g.make_shape(s, {x.size(detail::time_axis(x)), width}, at, "sinusoidal_positions")) return {&g};
  return g.add(
      {.kind = op::sinusoidal, .shape = s, .settings = {.sinusoidal = {.base = options.base}}, .at = at}, x);
}

/// position / (positions - 1), from 0 to 1 whatever the length; 0 for a single position: [T, 1]. How far
/// apart two neighbours stand depends on the length, so that no distance means the same in two sentences, and
/// a text that grows moves all its positions: here to be compared with the others.
constexpr expr normalised_positions(expr x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (x.owner == nullptr || !x.owner->usable(x, at, "normalised_positions")) return {x.owner};
  if (x.rank() < 1)
    return x.owner->fail(129, at, "normalised_positions: expected an axis of positions, found ", x);
  const reported_at here(x, at.as("normalised_positions"));
  const expr position = to_float(range(x, x.size(detail::time_axis(x))));
  return unsqueeze(position / max(max_over(position, axis(0), {.keep = true}), 1), 1);
}

/// Which features turn together: i with i + width / 2 (halves), or 2i with 2i + 1 (neighbours).
enum class rope_pairing : std::uint8_t { halves, neighbours };
inline constexpr rope_pairing halves = rope_pairing::halves, neighbours = rope_pairing::neighbours;

struct rope_options {
  int heads = 1;
  double base = 10000;
  rope_pairing pairing = halves;
  int width = 0;  // how many features of each head turn, from the first; 0: all
  int offset = 0; // the position of the first row
  rope_scaling scaling = {};
};

namespace detail {

/// Whether the numbers of a scaling are possible for so many pairs of features; an error of the graph where not.
constexpr bool is_possible(const rope_scaling& s, std::int64_t pairs, graph& g, source_place at) {
  using kind = rope_scaling::kind;
  const auto fail = [&](int number, const auto&... text) {
    g.fail(number, at, "rope: .scaling: expected ", text...);
    return false;
  };
  if (s.how == kind::none) return true;
  if (!(s.factor > 0 && is_finite(s.factor))) return fail(353, "a finite factor above 0, found ", s.factor);
  if (s.how == kind::linear) return true;
  if (!(s.positions > 1 && is_finite(s.positions)))
    return fail(354, "a finite number of .positions above 1, found ", s.positions);
  if (s.how == kind::longrope) {
    if (s.divisors->count != pairs)
      return fail(355, pairs, " divisors, one for each pair of features that turns; found ",
                  s.divisors->count);
    for (int i = 0; i < s.divisors->count; ++i)
      if (!(s.divisors->of[i] > 0 && is_finite(s.divisors->of[i])))
        return fail(356, "finite divisors above 0, found ", s.divisors->of[i]);
    return true;
  }
  if (!(s.low > 0 && s.low < s.high && is_finite(s.high)))
    return fail(357,
                s.how == kind::yarn ? ".slow above 0 and .fast above it" : ".low above 0 and .high above it",
                ", found ", s.low, " and ", s.high);
  if (!(s.amplitude >= 0 && is_finite(s.amplitude)))
    return fail(358, "a finite .amplitude of at least 0, found ", s.amplitude);
  return true;
}

} // namespace detail

/// Rotary positions (Su et al. 2021, eq. 34): turns pairs of features of each head by position / base^(2i /
/// width), or as .scaling says. x [..., T, heads * d] keeps its shape.
constexpr expr rope(expr x, rope_options options = {},
                    source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (!detail::is_float(x, at, "rope")) return {x.owner};
  graph& g = *x.owner;
  if (x.rank() < 2) return g.fail(130, at, "rope: expected [..., positions, features], found ", x);
  const std::int64_t width = detail::width_of(x, at, "rope");
  if (width == 0) return {&g};
  if (options.heads < 1 || width % options.heads != 0)
    return g.fail(131, at, "rope: ", options.heads, " heads do not divide the ", width, " features of ", x);
  if (!(options.base > 0 && is_finite(options.base)))
    return g.fail(132, at, "rope: expected a finite base above 0, found ", options.base);
  const std::int64_t head = width / options.heads, turned = options.width == 0 ? head : options.width;
  if (turned < 2 || turned % 2 != 0 || turned > head)
    return g.fail(133, at, "rope: expected an even number of at most ", head,
                  " features of a head to turn, found ", turned);
  if (!detail::is_possible(options.scaling, turned / 2, g, at)) return {&g};
  int scaling = -1;
  if (options.scaling != rope_scaling{} && (scaling = g.add_scaling(options.scaling, at)) < 0) return {&g};
  return g.add({.kind = op::rope,
                .shape = g.shape_of(x),
                .settings = {.rope = {.heads = options.heads,
                                      .width = static_cast<std::int32_t>(turned),
                                      .neighbours = options.pairing == neighbours,
                                      .scaling = static_cast<std::int8_t>(scaling),
                                      .first = options.offset,
                                      .base = options.base}},
                .at = at},
               x);
}

/// Attention with linear biases (Press et al. 2022): score - slope (query - key), for .score. Slopes are the
/// geometric sequence 2^(-8 (h + 1) / heads), with every second one of twice as many heads where heads is no
/// power of two. Errors: an attention of another number of heads.
constexpr attention_score alibi(int heads) {
  int whole = 1;
  while (whole <= heads / 2) whole *= 2;
  attention_score made([heads, whole](scalar s, scalar q, scalar k, scalar head) {
    const scalar first = pow(scalar(2.0), -8.0 / whole * (head + 1));
    if (whole == heads) return s - first * (q - k);
    const scalar rest = pow(scalar(2.0), -4.0 / whole * (2 * (head - whole) + 1));
    return s - where(head < whole, first, rest) * (q - k);
  });
  made.heads = heads;
  return made;
}

struct relative_bias_options {
  int heads = 1;
  int buckets = 32;
  int max_distance = 128; // from here on, distances share the last bucket
  /// Keys after the query have half of the buckets for themselves; false: they share the bucket of distance
  /// 0.
  bool both = true;
};

namespace detail {

/// The bucket of each distance key - query, from -max_distance to max_distance: half of a side's buckets hold
/// one distance each, in the others distances grow by a constant factor.
constexpr expr distance_buckets(expr x, const relative_bias_options& o, source_place at) {
  const reported_at here(x, at);
  const expr distance = range(x, dim(o.max_distance) * 2 + 1) - o.max_distance;
  const expr n = o.both ? abs(distance) : max(-distance, 0);
  const int side = o.both ? o.buckets / 2 : o.buckets, exact = side / 2, wide = side - exact;
  expr bucket = min(n, exact);
  // The first distance of wide bucket i: exact (max_distance / exact)^(i / wide), rounded up.
  const auto power = [](double base, int exponent) {
    double y = 1;
    for (int i = 0; i < exponent; ++i) y *= base;
    return y;
  };
  int first = exact;
  for (int i = 1; i < wide; ++i) {
    for (int most = o.max_distance; first < most;) {
      const int middle = first + (most - first) / 2;
      if (power(static_cast<double>(middle) / exact, wide) <
          power(static_cast<double>(o.max_distance) / exact, i))
        first = middle + 1;
      else
        most = middle;
    }
    bucket = bucket + where(n < first, 0, 1);
  }
  return o.both ? where(distance > 0, bucket + side, bucket) : bucket;
}

} // namespace detail

/// A learned number for each head and distance between query and key, distances in buckets (Raffel et al.
/// 2020, section 2.1), for .score: score + number. x says which graph it belongs to; one value serves all
/// layers. Makes name.weight [buckets, heads].
constexpr attention_score relative_bias(expr x, const name_text& name, relative_bias_options options = {},
                                        source_place where = {__builtin_FILE(), __builtin_LINE()}) {
  const graph::named who{"relative_bias", name};
  if (x.owner == nullptr || !x.owner->usable(x, where, who)) return {};
  graph& g = *x.owner;
  where = where.as(who.word);
  const int side = options.both ? options.buckets / 2 : options.buckets;
  if (side < 2 || (options.both && options.buckets % 2 != 0) || options.max_distance <= side / 2 ||
      options.max_distance >= detail::largest_position) {
    g.fail(134, where, who, ": expected ", options.both ? "an even number of at least 4" : "at least 2",
           " buckets and a .max_distance above ", side / 2, " and below ", detail::largest_position,
           ", found ", options.buckets, " and ", options.max_distance);
    return {};
  }
  const expr numbers =
      embedding(detail::distance_buckets(x, options, where), name, options.buckets, options.heads, {}, where);
  const int zero = options.max_distance;
  return attention_score([numbers, zero, where](scalar s, scalar q, scalar k, scalar head) {
    return s + at(numbers, k - q + zero, head, where);
  });
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::alibi, core::halves, core::learned_positions, core::learned_positions_options, core::neighbours,
    core::normalised_positions, core::relative_bias, core::relative_bias_options, core::rope,
    core::rope_options, core::rope_pairing, core::sinusoidal_options, core::sinusoidal_positions;
} // namespace fovea
