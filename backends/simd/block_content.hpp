#pragma once

#include <cstdint>
#include <limits>

#include <fovea/backends/simd/position_content.hpp>

namespace fovea::core::simd {

/// What a small stream computes for a block of new positions, and whether block_code.hpp can do all of it: every value is a
/// row of few features at each position, and later positions reach back by windows of convolutions alone. `model` is the
/// lowered step of the stream.
template <class model, dim time>
struct block_content : position_content<model, time> {
  using position = position_content<model, time>;
  using position::g, position::schedule, position::has_batch, position::is_copy, position::is_part,
      position::is_row, position::is_window, position::storage, position::width_of;
  static constexpr int widest = 16, deepest = 256; // features of a value, and of the window of a convolution
  static constexpr int most = 256;                 // products, vectors, and values

  /// [.., time, features] or [.., time], with a batch before it or none.
  static constexpr bool is_sequence(int id) {
    const shape& s = g.at(id).shape;
    bool of_time = false;
    for (int axis = has_batch(id); axis < s.rank; ++axis) {
      const bool is_time = !g.is_number(s[axis]);
      if (is_time ? of_time || !(g.dim_of(s[axis]) == time) : !of_time && g.number(s[axis]) != 1)
        return false;
      of_time |= is_time;
    }
    return of_time && is_row(id) && width_of(id) <= widest;
  }
  /// The value in whose memory another lies, a part of its features or all; and where in it.
  static constexpr int owner(int id) {
    id = storage(id);
    return g.at(id).kind == op::slice ? owner(g.operand(id, 0)) : id;
  }
  static constexpr int first_feature(int id) {
    id = storage(id);
    if (g.at(id).kind != op::slice) return 0;
    return static_cast<int>(g.number(g.at(id).settings.slice.first)) + first_feature(g.operand(id, 0));
  }
  static constexpr int features_of(int product) {
    return static_cast<int>(g.number(g.at(g.operand(product, 0)).shape[-1]));
  }

  struct found_content {
    node_list<most> weights, vectors;
    int place[g.nodes.size() + 1] = {}; // of the first feature of a value that lies in local memory
    int features = 0, window = 1;       // of local memory, and of the longest window
    int widest = 0;                     // of the values
    bool fits = true;
  };

  /// Goes through the plan, and places what it makes: where nothing lies that is still read.
  struct finder {
    found_content c;
    node_list<most> values;
    int made[g.nodes.size() + 1] = {}, read_last[g.nodes.size() + 1] = {};
    std::int64_t weights = 0;

    constexpr void require(bool holds) { c.fits = c.fits && holds; }
    constexpr void make(int id, int now) {
      require(is_sequence(id) && g.at(id).type == element::f32 && values.add(id));
      if (c.fits && width_of(id) > c.widest) c.widest = width_of(id);
      made[id] = read_last[id] = now;
    }
    constexpr void read(int id, int now) {
      if (!c.fits) return;
      if (g.at(storage(id)).kind == op::constant) {
        require(storage(id) == id); // what is renamed would be read from memory
        return;
      }
      const int from = owner(id);
      require(g.at(id).type == element::f32);
      if (g.at(from).kind == op::parameter) {
        require(from == schedule.groups.base[id] && is_row(from) && width_of(from) <= widest &&
                c.vectors.add(from));
        return;
      }
      require(values.index_of(from) >= 0 && is_sequence(id) && is_sequence(storage(id)) &&
              (g.at(storage(id)).kind != op::slice || is_part(storage(id))));
      read_last[from] = now;
    }
    constexpr void take_product(int root, int now) {
      const int id = schedule.groups.product[root], weight = fixed_weight(g, id);
      require(g.at(weight).kind == op::parameter && !schedule.groups.largest[root] && c.weights.add(id) &&
              (g.at(id).operand_count < 3 || g.at(g.operand(id, 2)).kind == op::parameter) &&
              is_sequence(root));
      if (!c.fits) return;
      const bool is_of_window = is_window(storage(g.operand(id, 0)));
      if (is_of_window || is_convolution(g.at(id).kind)) {
        require(is_convolution(g.at(id).kind) && !is_transposed(g.at(id).kind));
        if (!c.fits) return;
        const sliding_window& w = g.window_of(id);
        require(w.axes == 1 && w.groups == 1 && w.stride[1] == 1 && is_of_window == (w.taps() > 1));
      }
      read(is_of_window ? g.operand(storage(g.operand(id, 0)), 0) : g.operand(id, 0), now);
      const shape& left = g.at(g.operand(id, 0)).shape;
      require(g.is_number(left[-1]) && features_of(id) <= widest &&
              features_of(id) * taps_of_product(g, id) <= deepest);
      if (!c.fits) return;
      const int depth = features_of(id) * taps_of_product(g, id);
      if (is_of_window && depth > c.window) c.window = depth;
      weights += static_cast<std::int64_t>(depth) * width_of(root);
      if (schedule.groups.join[root] != op::none) {
        read(schedule.groups.other[root], now);
        require(width_of(schedule.groups.other[root]) == width_of(root));
      }
      make(root, now);
    }
    constexpr void take_single(int id, int now) {
      const node& n = g.at(id);
      if (n.kind == op::cache) {
        read(g.operand(id, 0), now);
        require(n.settings.cache.kept > 0 && n.settings.cache.rate == 1 &&
                n.settings.cache.axis == n.shape.rank - 2 &&
                g.at(owner(g.operand(id, 0))).kind != op::parameter);
      } else if (n.kind == op::concat) {
        for (int k = 0; k < n.operand_count; ++k) {
          read(g.operand(id, k), now);
          require(is_sequence(g.operand(id, k)) && g.at(owner(g.operand(id, k))).kind != op::parameter &&
                  g.at(storage(g.operand(id, k))).kind != op::constant);
        }
        require(n.settings.along.axis == n.shape.rank - 1);
        make(id, now);
      } else {
        require(is_sequence(id) && (n.kind == op::slice ? is_part(id) || is_copy(id) : storage(id) != id));
        read(g.operand(id, 0), now);
      }
    }
    constexpr void take(const step& s, int now) {
      if (s.kind == step_kind::product || s.kind == step_kind::convolution) {
        for (int p = 0; p < s.count && c.fits; ++p) take_product(schedule.parts[s.first + p], now);
      } else if (s.kind == step_kind::chain) {
        for (const std::int32_t leaf : schedule.leaves_of(s.node)) {
          read(leaf, now);
          require(width_of(leaf) == 1 || width_of(leaf) == width_of(s.node));
        }
        make(s.node, now);
      } else {
        require(s.kind == step_kind::single);
        if (c.fits) take_single(s.node, now);
      }
    }
    /// The first place that is free from when a value is made.
    constexpr void place_values() {
      for (int i = 0; i < values.count; ++i) {
        const int id = values.nodes[i];
        int& at = c.place[id];
        for (bool taken = true; taken;) {
          taken = false;
          for (int k = 0; k < i && !taken; ++k) {
            const int other = values.nodes[k], end = c.place[other] + width_of(other);
            taken = read_last[other] >= made[id] && c.place[other] < at + width_of(id) && at < end;
            if (taken) at = end;
          }
        }
        if (at + width_of(id) > c.features) c.features = at + width_of(id);
      }
    }
    constexpr found_content find() {
      for (const node& n : g.nodes) require(n.kind != op::state && n.kind != op::keep);
      for (const named_value& in : g.inputs) make(in.node, -1);
      for (int i = 0; i < schedule.step_count && c.fits; ++i) take(schedule.steps[i], i);
      for (const named_value& out : g.outputs) {
        require(g.at(storage(out.node)).kind != op::constant && g.at(owner(out.node)).kind != op::parameter);
        read(out.node, std::numeric_limits<int>::max());
      }
      require(c.weights.count > 0 && weights <= most_row_weights);
      if (c.fits) place_values();
      return c;
    }
  };
  static constexpr found_content found = finder{}.find();
};

} // namespace fovea::core::simd
