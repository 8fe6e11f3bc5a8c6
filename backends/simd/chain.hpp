#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/generated.hpp>
#include <fovea/backends/simd/kernels/elementwise.hpp>
#include <fovea/dsl/graph_view.hpp>

namespace fovea::core::simd {

/// The code of one chain: the elementwise nodes of one group, each computed once for a vector at a time, in
/// registers. `model` has a static constexpr graph_view `view` and a `schedule`; `last` is the node whose
/// value is stored.
template <class model, int last>
struct chain {
  static constexpr const graph_view& g = model::view;

  struct content {
    int members[max_chain_members] = {}; // ascending; the last is `last`
    int member_count = 0;
    int leaves[max_chain_leaves] = {};
    int leaf_count = 0;
    bool fits = true;
  };
  static constexpr bool is_member(int id) {
    return id == last || (model::schedule.groups.root[id] == last && model::schedule.groups.product[id] < 0);
  }
  static constexpr content find() {
    content c;
    int first = last;
    // Members lie before the last one; walk back from it through their operands.
    for (int id = last; id >= 0 && id >= first; --id)
      if (is_member(id))
        for (int k = 0; k < g.at(id).operand_count; ++k)
          if (is_member(g.operand(id, k)) && g.operand(id, k) < first) first = g.operand(id, k);
    for (int id = first; id <= last; ++id) {
      if (!is_member(id)) continue;
      if (c.member_count == max_chain_members) {
        c.fits = false;
        break;
      }
      c.members[c.member_count++] = id;
      for (int k = 0; k < g.at(id).operand_count; ++k) {
        const int from = g.operand(id, k);
        if (is_member(from) || g.at(from).kind == op::constant) continue;
        bool known = false;
        for (int i = 0; i < c.leaf_count; ++i) known |= c.leaves[i] == from;
        if (known) continue;
        if (c.leaf_count == max_chain_leaves) {
          c.fits = false;
          break;
        }
        c.leaves[c.leaf_count++] = from;
      }
    }
    return c;
  }
  static constexpr content found = find();
  static_assert(found.fits, "a chain is larger than the plan allows");

  static constexpr const shape& whole = g.at(last).shape;
  /// Whether every leaf has the result's shape or is one number: then rows do not matter.
  static constexpr bool is_flat() {
    for (int i = 0; i < found.leaf_count; ++i) {
      const shape& s = g.at(found.leaves[i]).shape;
      if ((!(s == whole) && s.rank != 0) || model::schedule.groups.viewed[found.leaves[i]]) return false;
    }
    return true;
  }
  /// Whether a leaf is the same along a row, which is the last axis, or everything where rows do not matter.
  static constexpr bool is_single(int leaf) {
    const shape& s = g.at(found.leaves[leaf]).shape;
    return s.rank == 0 || (!is_flat() && g.is_number(s[-1]) && g.number(s[-1]) == 1);
  }
  static constexpr int index_of(const int* list, int count, int id) {
    for (int i = 0; i < count; ++i)
      if (list[i] == id) return i;
    return -1;
  }

  template <class Arch>
  struct code {
    template <std::size_t... i>
    static auto values_of(std::index_sequence<i...>)
        -> std::tuple<vector_of<g.at(found.members[i]).type, Arch>...>;
    using members = std::make_index_sequence<static_cast<std::size_t>(found.member_count)>;
    using values = decltype(values_of(members{}));

    /// Where this row's leaves begin.
    struct row {
      const float* leaf[max_chain_leaves > 0 ? max_chain_leaves : 1];
    };

    template <int id>
    [[gnu::always_inline]] static auto load(const row& r, size_t j) {
      constexpr int i = index_of(found.leaves, found.leaf_count, id);
      constexpr element type = g.at(id).type;
      if constexpr (type == element::f32) {
        if constexpr (is_single(i))
          return vec<Arch>(*r.leaf[i]);
        else
          return vec<Arch>::load_unaligned(r.leaf[i] + j);
      } else {
        const auto* from = reinterpret_cast<const std::int32_t*>(r.leaf[i]);
        const int_vec<Arch> x = is_single(i) ? int_vec<Arch>(*from) : int_vec<Arch>::load_unaligned(from + j);
        if constexpr (type == element::i32)
          return x;
        else
          return detail::as_float_mask<Arch>(x != int_vec<Arch>(0));
      }
    }
    template <int id>
    [[gnu::always_inline]] static auto operand(const values& v, const row& r, size_t j) {
      constexpr node n = g.at(id);
      if constexpr (n.kind == op::constant) {
        return constant<n.type, Arch>(n.settings.number);
      } else if constexpr (is_member(id)) {
        return std::get<index_of(found.members, found.member_count, id)>(v);
      } else {
        return load<id>(r, j);
      }
    }
    template <std::size_t i>
    [[gnu::always_inline]] static auto compute(const values& v, const row& r, size_t j) {
      constexpr int id = found.members[i];
      constexpr node n = g.at(id);
      if constexpr (n.kind == op::constant)
        return operand<id>(v, r, j);
      else if constexpr (n.kind == op::where)
        return choose<n.type, Arch>(operand<g.operand(id, 0)>(v, r, j), operand<g.operand(id, 1)>(v, r, j),
                                    operand<g.operand(id, 2)>(v, r, j));
      else if constexpr (is_unary(n.kind))
        return apply<n.kind, n.type, Arch>(operand<g.operand(id, 0)>(v, r, j));
      else
        return apply<n.kind, n.type, Arch>(operand<g.operand(id, 0)>(v, r, j),
                                           operand<g.operand(id, 1)>(v, r, j));
    }
    template <std::size_t... i>
    [[gnu::always_inline]] static auto result(const row& r, size_t j, std::index_sequence<i...>) {
      values v;
      ((std::get<i>(v) = compute<i>(v, r, j)), ...);
      return std::get<sizeof...(i) - 1>(v);
    }
    static void store(float* out, const vec<Arch>& x) { x.store_unaligned(out); }
    static void store(float* out, const int_vec<Arch>& x) {
      x.store_unaligned(reinterpret_cast<std::int32_t*>(out));
    }
    static void store(float* out, const xsimd::batch_bool<float, Arch>& x) {
      store(out, xsimd::select(integer_mask<Arch>(x), int_vec<Arch>(1), int_vec<Arch>(0)));
    }

    static void run_row(const row& r, float* out, size_t count) {
      size_t j = 0;
      for (; j + width<Arch> <= count; j += width<Arch>) store(out + j, result(r, j, members{}));
      if (j == count) return;
      // The tail goes through buffers of one vector.
      alignas(64) float rest[max_chain_leaves][width<Arch>] = {};
      row tail = r;
      for (int i = 0; i < found.leaf_count; ++i) {
        if (is_single(i)) continue;
        for (size_t k = j; k < count; ++k) rest[i][k - j] = r.leaf[i][k];
        tail.leaf[i] = rest[i];
      }
      alignas(64) float made[width<Arch>];
      store(made, result(tail, 0, members{}));
      for (size_t k = j; k < count; ++k) out[k] = made[k - j];
    }

    /// Rows first <= i < last of the call.
    static void run(const chain_args& a, size_t first_row, size_t last_row) {
      size_t place[max_chain_axes] = {}, at[max_chain_leaves] = {}; // of the row, and of each leaf
      const auto move = [&](int axis, size_t steps) {
        for (int leaf = 0; leaf < found.leaf_count; ++leaf) at[leaf] += steps * a.strides[leaf][axis];
      };
      size_t rest = first_row;
      for (int axis = a.axes - 1; axis >= 0; --axis) {
        place[axis] = rest % a.sizes[axis];
        move(axis, place[axis]);
        rest /= a.sizes[axis];
      }
      for (size_t i = first_row; i < last_row; ++i) {
        row r;
        for (int leaf = 0; leaf < found.leaf_count; ++leaf) r.leaf[leaf] = a.leaves[leaf] + at[leaf];
        run_row(r, a.out + i * a.row, a.row);
        // The last axis moves on; one that reaches its end goes back, and the one before it moves on.
        for (int axis = a.axes - 1; axis >= 0; --axis) {
          move(axis, 1);
          if (++place[axis] < a.sizes[axis]) break;
          move(axis, size_t{0} - a.sizes[axis]);
          place[axis] = 0;
        }
      }
    }
  };
};

} // namespace fovea::core::simd
