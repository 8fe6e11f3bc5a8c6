#pragma once

#include <fovea/dsl/shape_words.hpp>

namespace fovea::core {

namespace detail {

/// The axes of one side of a contraction, by what becomes of them.
struct contraction_side {
  int batch[shape::max_rank] = {}, kept[shape::max_rank] = {}, summed[shape::max_rank] = {};
  int batch_count = 0, kept_count = 0, summed_count = 0;

  constexpr bool sums(int axis) const {
    for (int i = 0; i < summed_count; ++i)
      if (summed[i] == axis) return true;
    return false;
  }
};

/// As [batch..., kept, summed], or [batch..., summed, kept], the axes of each kind but the first made one.
constexpr expr as_matrix(expr x, const contraction_side& side, bool summed_last, source_place at) {
  graph& g = *x.owner;
  int order[shape::max_rank] = {}, n = 0;
  const auto take = [&](const int* axes, int count) {
    for (int i = 0; i < count; ++i) order[n++] = axes[i];
  };
  take(side.batch, side.batch_count);
  if (summed_last) take(side.kept, side.kept_count);
  take(side.summed, side.summed_count);
  if (!summed_last) take(side.kept, side.kept_count);
  const auto product = [&](const int* axes, int count) {
    dim size = 1;
    for (int i = 0; i < count; ++i) size = size * x.size(axes[i]);
    return g.intern(size);
  };
  shape s;
  for (int i = 0; i < side.batch_count; ++i) s.push(g.shape_of(x)[side.batch[i]]);
  const std::uint16_t kept = product(side.kept, side.kept_count),
                      summed = product(side.summed, side.summed_count);
  s.push(summed_last ? kept : summed);
  s.push(summed_last ? summed : kept);
  return g.error.empty() ? reshape_to(permute_axes(x, order, at), s, at) : expr{&g};
}

} // namespace detail

/// The product of x and y summed over the dims named, which each occurs once in both. Of the others, a symbol
/// that occurs in both is matched (a batch axis), once in the result; numbers never are. The result's axes:
/// the matched ones, the rest of x, the rest of y. contract(q, k, D): [B, T, D] and [B, S, D] -> [B, T, S].
constexpr expr contract(expr x, expr y, std::initializer_list<dim> over,
                        source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (!detail::is_float(x, at, "contract") || !detail::is_float(y, at, "contract")) return {x.owner};
  graph& g = *x.owner;
  if (y.owner != &g) return g.fail(210, at, "contract: the operands belong to two different graphs");
  at = at.as("contract");
  detail::contraction_side a, b;
  for (const dim& each : over) {
    const int i = detail::find_axis(x, each, at, "contract"), j = detail::find_axis(y, each, at, "contract");
    if (i < 0 || j < 0) return {&g};
    if (a.sums(i)) return g.fail(211, at, "contract: ", each, " is named twice");
    a.summed[a.summed_count++] = i, b.summed[b.summed_count++] = j;
  }
  const shape sx = g.shape_of(x), sy = g.shape_of(y);
  bool matched[shape::max_rank] = {};
  for (int i = 0; i < sx.rank; ++i) {
    if (a.sums(i)) continue;
    int found = -1;
    for (int j = 0; j < sy.rank && !g.is_number(sx[i]); ++j) {
      if (sy[j] != sx[i]) continue;
      if (found >= 0)
        return g.fail(212, at, "contract: ", g.dim_of(sx[i]), " occurs twice in ", y, " and once in ", x);
      found = j;
    }
    if (found < 0) {
      a.kept[a.kept_count++] = i;
      continue;
    }
    if (matched[found])
      return g.fail(213, at, "contract: ", g.dim_of(sx[i]), " occurs twice in ", x, " and once in ", y);
    matched[found] = true;
    a.batch[a.batch_count++] = i, b.batch[b.batch_count++] = found;
  }
  for (int j = 0; j < sy.rank; ++j)
    if (!b.sums(j) && !matched[j]) b.kept[b.kept_count++] = j;
  if (a.batch_count + a.kept_count + b.kept_count > shape::max_rank || a.batch_count + 2 > shape::max_rank)
    return g.fail(214, at, "contract: ", x, " and ", y, " would make more than ", shape::max_rank, " axes");

  shape s;
  for (int i = 0; i < a.batch_count; ++i) s.push(sx[a.batch[i]]);
  for (int i = 0; i < a.kept_count; ++i) s.push(sx[a.kept[i]]);
  for (int j = 0; j < b.kept_count; ++j) s.push(sy[b.kept[j]]);
  const expr left = detail::as_matrix(x, a, true, at), right = detail::as_matrix(y, b, false, at);
  if (!left.valid() || !right.valid()) return {&g};
  return detail::reshape_to(matmul(left, right, at), s, at);
}
constexpr expr contract(expr x, expr y, const dim& over,
                        source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return contract(x, y, {over}, at);
}

/// x^T A_o y + b_o for each output o: [..., m] and [..., n] -> [..., out]; leading axes broadcast. Makes
/// name.weight [out, m, n] and name.bias [out], as PyTorch does.
constexpr expr bilinear(expr x, expr y, const name_text& name, dim out, linear_options options = {},
                        source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const graph::named who{"bilinear", name};
  if (!detail::is_float(x, at, who) || !x.owner->usable(y, at, who) || !detail::is_float(y, at, who))
    return {x.owner};
  graph& g = *x.owner;
  const std::int64_t m = detail::width_of(x, at, who), n = detail::width_of(y, at, who);
  if (m == 0 || n == 0) return {&g};
  if (!detail::is_width(g, out, at, who)) return {&g};
  shape leading_x = g.shape_of(x), leading_y = g.shape_of(y), s;
  --leading_x.rank, --leading_y.rank;
  if (!detail::broadcast(g, leading_x, leading_y, s) || s.rank > shape::max_rank - 2)
    return g.fail(215, at, who, ": the leading axes of ", x, " and ", y, " do not fit");
  at = at.as(who.word);
  const scope inside(&g, name, scope_name::no_index, at);
  const expr weight = parameter(x, "weight", {out, m, n}, options.init, at);
  const expr bias = options.bias ? parameter(x, "bias", {out}, init::zeros(), at) : expr{&g};
  if (!g.error.empty()) return {&g};
  // One matrix product makes [..., out * m] of y; the rest is a product of [out, m] with x at each place.
  shape flat, wide = leading_y, column = leading_x;
  flat.push(g.intern(out * m)), flat.push(g.intern(n));
  const expr rows = y.rank() == 1 ? unsqueeze(y, 0, at) : y;
  const expr product = matmul(rows, transpose(detail::reshape_to(weight, flat, at), at), at);
  wide.push(g.intern(out)), wide.push(g.intern(m));
  column.push(g.intern(m)), column.push(g.intern(1));
  s.push(g.intern(out));
  if (!product.valid()) return {&g};
  const expr made = detail::reshape_to(
      matmul(detail::reshape_to(product, wide, at), detail::reshape_to(x, column, at), at), s, at);
  return options.bias ? located(made, at) + located(bias, at) : made;
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::bilinear, core::contract;
} // namespace fovea
