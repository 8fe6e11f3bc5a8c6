#pragma once

#include <cstdint>

#include <fovea/backends/simd/row_code.hpp>
#include <fovea/dsl/passes/by_position.hpp>

namespace fovea::core::simd {

/// What a small stream computes for one new position, and whether position_code.hpp can do all of it: every
/// value is a row of features, scans along `time` take one step. `model` is the lowered step of the stream.
template <class model, dim time>
struct position_content {
  static constexpr const graph_view& g = model::view;
  static constexpr const auto& schedule = model::schedule;
  static constexpr int most = 64; // products, vectors, and what is kept

  struct found_values {
    node_list<most> weights, vectors;
    bool fits = true;
  };

  static constexpr int batch_dim = fovea::core::detail::batch_of(g, time);
  /// The size of a dim at one position, or 0 where that is not known.
  static constexpr std::int64_t size_of(int d) {
    return g.is_number(d) ? g.number(d) : g.dim_of(d) == time ? 1 : 0;
  }
  /// Whether a value has an axis of positions.
  static constexpr bool moves(int id) {
    const shape& s = g.at(id).shape;
    for (int axis = 0; axis < s.rank; ++axis)
      if (!g.is_number(s[axis]) && g.dim_of(s[axis]) == time) return true;
    return false;
  }
  static constexpr bool has_batch(int id) {
    const shape& s = g.at(id).shape;
    return s.rank > 0 && batch_dim != 0 && s[0] == batch_dim;
  }
  /// The elements of a value at one position of one batch row, or 0 where that is not known.
  static constexpr std::int64_t elements(int id) {
    const shape& s = g.at(id).shape;
    std::int64_t n = 1;
    for (int axis = has_batch(id); axis < s.rank; ++axis) n *= size_of(s[axis]);
    return n;
  }
  static constexpr int width_of(int id) { return static_cast<int>(elements(id)); }
  /// A value of one position: one row of features for each batch row.
  static constexpr bool is_row(int id) {
    const shape& s = g.at(id).shape;
    const std::int64_t n = elements(id);
    return n > 0 && n <= largest_row && (s.rank == has_batch(id) || size_of(s[-1]) == n);
  }

  /// Whether something goes from position to position by steps.
  static constexpr bool has_scan = [] {
    for (const region_entry& r : g.regions)
      if (r.is_scan()) return true;
    return false;
  }();
  static constexpr bool takes_one_step(int region) {
    return g.region(region).is_scan() && size_of(g.region(region).time) == 1;
  }
  /// Where a value lies that another node only renames at one position: a scan takes one step, so what it
  /// carries is what it begins with, and what it leaves is what its body makes.
  static constexpr int storage(int id) {
    for (;;) {
      const node& n = g.at(id);
      const bool renamed = fovea::core::detail::renames(n.kind) || n.kind == op::scan_output ||
                           n.kind == op::time_step || n.kind == op::stack || n.kind == op::permute ||
                           n.kind == op::transpose ||
                           ((n.kind == op::broadcast || n.kind == op::slice) && is_copy(id)) ||
                           (n.kind == op::carry && takes_one_step(n.region));
      if (renamed)
        id = g.operand(id, 0);
      else if (n.kind == op::repeat_output && takes_one_step(n.settings.carried.region))
        id = g.region(n.settings.carried.region).results[n.settings.carried.index];
      else if (n.kind == op::repeat_output)
        return g.region(n.settings.carried.region).first + n.settings.carried.index;
      else
        return id;
    }
  }
  /// What is kept is each batch row's own: the code goes from row to row, and what all share would change at each.
  static constexpr bool is_of_row(int id) { return batch_dim == 0 || has_batch(id); }
  static constexpr bool is_copy(int id) { return elements(id) == elements(g.operand(id, 0)); }
  static constexpr bool is_window(int id) {
    return g.at(id).kind == op::cache && g.at(id).settings.cache.kept > 0;
  }

  /// A slice of features that are numbers, of a row.
  static constexpr bool is_part(int id) {
    const node& n = g.at(id);
    return n.settings.slice.axis == n.shape.rank - 1 && g.is_number(n.settings.slice.first) && is_row(id) &&
           is_row(g.operand(id, 0));
  }
  /// Goes through the plan: whether this code can do all of it, and what that reads.
  struct finder {
    found_values c;
    std::int64_t weights = 0;

    constexpr void require(bool holds) { c.fits = c.fits && holds; }
    constexpr void read(int id) {
      if (!c.fits) return;
      const node& n = g.at(storage(id));
      if (n.kind == op::parameter)
        require(n.type == element::f32 && is_row(storage(id)) && c.vectors.add(storage(id)));
      else if (n.kind != op::constant)
        require(is_row(storage(id)));
      else
        require(storage(id) == id); // what is renamed would be read from memory
      if (n.kind == op::slice) require(is_part(storage(id)));
    }
    constexpr void take_ends() {
      for (const named_value& in : g.inputs) require(is_row(in.node));
      for (const named_value& out : g.outputs) {
        require(is_row(out.node) && g.at(storage(out.node)).kind != op::constant &&
                g.at(storage(out.node)).kind != op::parameter);
        read(out.node);
      }
      for (const node& n : g.nodes)
        if (n.kind == op::state || n.kind == op::cache || n.kind == op::keep) require(kept_index(n) < most);
    }
    constexpr void take_product(int root) {
      const int id = schedule.groups.product[root], weight = fixed_weight(g, id),
                left = storage(g.operand(id, 0));
      require(g.at(weight).kind == op::parameter && is_row(root) && is_row(id) &&
              !schedule.groups.largest[root] && c.weights.add(id) &&
              (g.at(id).operand_count < 3 || g.at(g.operand(id, 2)).kind == op::parameter));
      if (c.fits && is_convolution(g.at(id).kind)) {
        const sliding_window& w = g.window_of(id);
        require(!is_transposed(g.at(id).kind) && w.axes == 1 && w.groups == 1 && w.stride[1] == 1 &&
                (w.taps() == 1 || is_window(left)));
      }
      if (!c.fits) return;
      std::int64_t floats = g.layers(id);
      for (int axis = 0; axis < g.at(weight).shape.rank; ++axis) floats *= g.number(g.at(weight).shape[axis]);
      weights += floats;
      if (!is_window(left)) read(left);
      if (schedule.groups.join[root] != op::none) read(schedule.groups.other[root]);
    }
    constexpr void take_loop(int region) {
      const region_entry& r = g.region(region);
      require(!r.is_scan() || takes_one_step(region));
      for (int k = 0; k < r.carried && c.fits; ++k) {
        require(is_row(r.first + k));
        read(g.operand(r.first + k, 0));
        // What is kept is overwritten one by one at the end.
        const op next = g.at(storage(r.results[k])).kind;
        require(!r.is_scan() || (next != op::state && next != op::slice));
        read(r.results[k]);
      }
    }
    constexpr void take_single(int id) {
      const node& n = g.at(id);
      switch (n.kind) {
        case op::time_step:
        case op::stack:
        case op::permute:
        case op::transpose:
        case op::keep:
        case op::concat:
          for (int k = 0; k < n.operand_count; ++k) read(g.operand(id, k));
          require(n.kind == op::keep ? !g.region(n.region).is_scan() && is_of_row(id) : is_row(id));
          require(n.kind != op::concat || n.settings.along.axis == n.shape.rank - 1);
          break;
        case op::broadcast:
          require(is_row(id) && (is_copy(id) || elements(g.operand(id, 0)) == 1));
          read(g.operand(id, 0));
          break;
        case op::slice:
          require(is_copy(id) || is_part(id));
          read(g.operand(id, 0));
          break;
        case op::cache:
          // Of a convolution; the keys and values of attention are read by no product.
          require(n.settings.cache.kept > 0 && n.settings.cache.axis == n.shape.rank - 2 &&
                  n.settings.cache.rate == 1 && is_row(g.operand(id, 0)) && is_of_row(id));
          read(g.operand(id, 0));
          break;
        case op::position:
        case op::time_index:
          break;
        default:
          require(false);
      }
    }
    constexpr void take(const step& s) {
      if (s.kind == step_kind::product || s.kind == step_kind::convolution) {
        for (int p = 0; p < s.count && c.fits; ++p) take_product(schedule.parts[s.first + p]);
      } else if (s.kind == step_kind::chain) {
        require(is_row(s.node));
        for (const std::int32_t leaf : schedule.leaves_of(s.node)) read(leaf);
      } else if (s.kind == step_kind::loop_begin || s.kind == step_kind::loop_end) {
        take_loop(s.node);
      } else if (s.kind == step_kind::single) {
        take_single(s.node);
      }
    }
    constexpr found_values find() {
      take_ends();
      for (int i = 0; i < schedule.step_count && c.fits; ++i) take(schedule.steps[i]);
      require(weights <= most_row_weights);
      return c;
    }
  };
  static constexpr found_values found = finder{}.find();
};

} // namespace fovea::core::simd
