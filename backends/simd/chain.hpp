#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/generated.hpp>
#include <fovea/backends/simd/kernels/elementwise.hpp>
#include <fovea/base/numbered_bases.hpp>
#include <fovea/dsl/graph_view.hpp>

namespace fovea::core::simd {

/// The code of one chain: the elementwise nodes of one group, each computed once for a vector at a time, in
/// registers. `model` has a static constexpr graph_view `view` and a `schedule`; `last` is the node whose
/// value is stored.
template <class model, int last>
struct chain {
  static constexpr const graph_view& g = model::view;

  // For constants alone, so that no part of the plan is kept beside the code.
  static constexpr std::size_t member_count = model::schedule.members_of(last).size(),
                               leaf_count = model::schedule.leaves_of(last).size();
  static constexpr int member(std::size_t i) { return model::schedule.members_of(last)[i]; }
  static constexpr int leaf(std::size_t i) { return model::schedule.leaves_of(last)[i]; }
  /// The place of a node among the members or leaves, or -1.
  static constexpr int index_in(std::span<const std::int32_t> list, int id) {
    for (std::size_t i = 0; i < list.size(); ++i)
      if (list[i] == id) return static_cast<int>(i);
    return -1;
  }
  static constexpr int member_index(int id) { return index_in(model::schedule.members_of(last), id); }

  static constexpr const shape& whole = g.at(last).shape;
  /// Whether every leaf has the result's shape or is one number: then rows do not matter.
  static constexpr bool is_flat = [] {
    for (const std::int32_t id : model::schedule.leaves_of(last))
      if ((!(g.at(id).shape == whole) && g.at(id).shape.rank != 0) || model::schedule.groups.viewed[id])
        return false;
    return true;
  }();
  /// Whether a leaf is the same along a row, which is the last axis, or everything where rows do not matter.
  static constexpr auto is_single = [] {
    std::array<bool, leaf_count> single{};
    for (std::size_t i = 0; i < leaf_count; ++i) {
      const shape& s = g.at(leaf(i)).shape;
      single[i] = s.rank == 0 || (!is_flat && g.is_number(s[-1]) && g.number(s[-1]) == 1);
    }
    return single;
  }();

  /// `of_positions`: a row is one feature at several positions, so that no leaf is the same along it but a
  /// parameter.
  template <class Arch, bool of_positions = false>
  struct code {
    template <std::size_t i>
    static constexpr bool is_one = of_positions
                                       ? g.at(model::schedule.groups.base[leaf(i)]).kind == op::parameter
                                       : is_single[i];

    template <std::size_t i>
    struct value {
      vector_of<g.at(member(i)).type, Arch> of;
    };
    using members = std::make_index_sequence<member_count>;
    using values = numbered_bases<value, member_count>;

    /// Where this row's leaves begin.
    struct row {
      const float* leaf[max_chain_leaves > 0 ? max_chain_leaves : 1];
    };

    template <int id>
    [[gnu::always_inline]] static auto load(const row& r, size_t j) {
      constexpr int i = index_in(model::schedule.leaves_of(last), id);
      constexpr element type = g.at(id).type;
      if constexpr (type == element::f32) {
        if constexpr (is_one<i>)
          return vec<Arch>(*r.leaf[i]);
        else
          return vec<Arch>::load_unaligned(r.leaf[i] + j);
      } else {
        const auto* from = reinterpret_cast<const std::int32_t*>(r.leaf[i]);
        const int_vec<Arch> x = is_one<i> ? int_vec<Arch>(*from) : int_vec<Arch>::load_unaligned(from + j);
        if constexpr (type == element::i32)
          return x;
        else
          return Arch::float_mask(x != int_vec<Arch>(0));
      }
    }
    template <int id>
    [[gnu::always_inline]] static auto operand(const values& v, const row& r, size_t j) {
      constexpr node n = g.at(id);
      if constexpr (n.kind == op::constant) {
        return constant<n.type, Arch>(n.settings.number);
      } else if constexpr (member_index(id) >= 0) {
        return static_cast<const value<member_index(id)>&>(v).of;
      } else {
        return load<id>(r, j);
      }
    }
    template <std::size_t i>
    [[gnu::always_inline]] static auto compute(const values& v, const row& r, size_t j) {
      constexpr int id = member(i);
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
      ((static_cast<value<i>&>(v).of = compute<i>(v, r, j)), ...);
      return static_cast<const value<sizeof...(i) - 1>&>(v).of;
    }
    static void store(float* out, const vec<Arch>& x) { x.store_unaligned(out); }
    static void store(float* out, const int_vec<Arch>& x) {
      x.store_unaligned(reinterpret_cast<std::int32_t*>(out));
    }
    static void store(float* out, const mask_of<Arch>& x) {
      store(out, Arch::select(Arch::integer_mask(x), int_vec<Arch>(1), int_vec<Arch>(0)));
    }

    static void run_row(const row& r, float* out, size_t count) {
      size_t j = 0;
      for (; j + width<Arch> <= count; j += width<Arch>) store(out + j, result(r, j, members{}));
      if (j == count) return;
      // The tail goes through buffers of one vector.
      alignas(64) float rest[max_chain_leaves][width<Arch>] = {};
      row tail = r;
      for (std::size_t i = 0; i < leaf_count; ++i) {
        if (is_single[i]) continue;
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
        for (std::size_t i = 0; i < leaf_count; ++i) at[i] += steps * a.strides[i][axis];
      };
      size_t rest = first_row;
      for (int axis = a.axes - 1; axis >= 0; --axis) {
        place[axis] = rest % a.sizes[axis];
        move(axis, place[axis]);
        rest /= a.sizes[axis];
      }
      for (size_t each = first_row; each < last_row; ++each) {
        row r;
        for (std::size_t i = 0; i < leaf_count; ++i) r.leaf[i] = a.leaves[i] + at[i];
        run_row(r, a.out + each * a.row, a.row);
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
