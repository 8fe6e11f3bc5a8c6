#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include <fovea/backends/simd/chain.hpp>
#include <fovea/backends/simd/generated.hpp>
#include <fovea/backends/simd/kernels/attention.hpp>
#include <fovea/base/numbered_bases.hpp>
#include <fovea/dsl/plan/mask_bounds.hpp>

namespace fovea::core::simd {

/// The code of a model's recorded score or mask function over vectors of positions. `which` is 0 for a score
/// function and 1 for a mask function; its captured tables begin at `first_table`.
template <class model, int function, int which, int first_table, class Arch>
struct lambda_code {
  static constexpr const scalar_function& f = model::view.function(function);

  const attention_args& a;
  const lambda_args& l;
  vec<Arch> score;
  size_t batch, head;
  int_vec<Arch> query, key; // positions

  template <std::size_t i>
  struct value {
    vector_of<f.nodes[i].type, Arch> of;
  };
  static constexpr auto count = static_cast<std::size_t>(f.count);
  using nodes = std::make_index_sequence<count>;
  using values = numbered_bases<value, count>;

  /// What the function gives; each node is computed once.
  auto result() const { return result(nodes{}); }

private:
  /// Nodes that are computed once for each batch row and head, before the kernel.
  static constexpr auto varies =
      fovea::core::detail::dependent_on(f, op::score, op::query_position, op::key_position);
  static constexpr bool is_uniform(std::size_t id) { return !varies[id] && f.nodes[id].kind != op::constant; }

  template <std::size_t... i>
  auto result(std::index_sequence<i...>) const {
    values v;
    ((static_cast<value<i>&>(v).of = compute<i>(v)), ...);
    return static_cast<const value<count - 1>&>(v).of;
  }
  template <std::size_t id, int k>
  static const auto& operand(const values& v) {
    return static_cast<const value<static_cast<std::size_t>(f.nodes[id].operands[k])>&>(v).of;
  }
  template <std::size_t id>
  auto compute(const values& v) const {
    constexpr scalar_node n = f.nodes[id];
    if constexpr (is_uniform(id)) {
      const float u = l.uniform[((batch * a.heads + head) * 2 + which) * scalar_function::max_nodes + id];
      if constexpr (n.type == element::f32)
        return vec<Arch>(u);
      else if constexpr (n.type == element::i32)
        return int_vec<Arch>(std::bit_cast<std::int32_t>(u));
      else
        return mask_of<Arch>(u != 0);
    } else if constexpr (n.kind == op::score)
      return score;
    else if constexpr (n.kind == op::query_position)
      return query;
    else if constexpr (n.kind == op::key_position)
      return key;
    else if constexpr (n.kind == op::constant)
      return constant<n.type, Arch>(n.number);
    else if constexpr (n.kind == op::table_at)
      return table<id>(v);
    else if constexpr (n.kind == op::where)
      return choose<n.type, Arch>(operand<id, 0>(v), operand<id, 1>(v), operand<id, 2>(v));
    else if constexpr (n.operand_count == 1)
      return apply<n.kind, n.type, Arch>(operand<id, 0>(v));
    else
      return apply<n.kind, n.type, Arch>(operand<id, 0>(v), operand<id, 1>(v));
  }
  template <std::size_t id>
  auto table(const values& v) const {
    constexpr scalar_node n = f.nodes[id];
    constexpr int t = first_table + n.capture;
    std::ptrdiff_t at[width<Arch>] = {}; // tables may have more than 2^31 elements
    alignas(64) std::int32_t along[width<Arch>];
    const auto add_axis = [&](int axis, const int_vec<Arch>& position) {
      position.store_aligned(along);
      const auto size = static_cast<std::int32_t>(l.table_sizes[t][axis]),
                 first = l.of_queries[t][axis] ? l.query_offset : 0;
      // Lanes past the last query or key hold positions that lie outside.
      for (size_t i = 0; i < width<Arch>; ++i)
        at[i] = at[i] * size + std::clamp(along[i] - first, 0, size - 1);
    };
    if constexpr (n.operand_count > 0) add_axis(0, operand<id, 0>(v));
    if constexpr (n.operand_count > 1) add_axis(1, operand<id, 1>(v));
    if constexpr (n.operand_count > 2) add_axis(2, operand<id, 2>(v));
    if constexpr (n.operand_count > 3) add_axis(3, operand<id, 3>(v));
    if constexpr (n.type == element::f32) {
      alignas(64) float found[width<Arch>];
      for (size_t i = 0; i < width<Arch>; ++i) found[i] = l.tables[t][at[i]];
      return vec<Arch>::load_aligned(found);
    } else {
      const auto* integers = reinterpret_cast<const std::int32_t*>(l.tables[t]);
      for (size_t i = 0; i < width<Arch>; ++i) along[i] = integers[at[i]];
      return int_vec<Arch>::load_aligned(along);
    }
  }
};

/// The attention of node `id` of a model, with its lambdas compiled in.
template <class model, int id>
struct lambda_attention {
  static constexpr attention_settings told = model::view.at(id).settings.attention;
  static constexpr int score_function = told.score;
  static constexpr int score_tables =
      score_function < 0 ? 0 : model::view.function(score_function < 0 ? 0 : score_function).capture_count;
  /// A mask that is a range of keys needs no code of its own.
  static constexpr int mask_function =
      told.mask >= 0 && !is_range(model::view.function(told.mask < 0 ? 0 : told.mask)) ? told.mask : -1;

  template <class Arch>
  static void run(const attention_args& a, const lambda_args& l, size_t first, size_t last, float* scratch) {
    const auto modify = [&a, &l](vec<Arch> score, size_t batch, size_t head, int_vec<Arch> query,
                                 int_vec<Arch> key) {
      const int_vec<Arch> position = query + int_vec<Arch>(l.query_offset);
      if constexpr (score_function >= 0) {
        using code = lambda_code<model, score_function, 0, 0, Arch>;
        score = code{a, l, score, batch, head, position, key}.result();
      }
      if constexpr (mask_function >= 0) {
        using code = lambda_code<model, mask_function, 1, score_tables, Arch>;
        const auto visible = code{a, l, score, batch, head, position, key}.result();
        score = Arch::select(visible, score, vec<Arch>(-std::numeric_limits<float>::infinity()));
      }
      return score;
    };
    attention<Arch>(a, modify, first, last, scratch);
  }
};

} // namespace fovea::core::simd
