#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/row_code.hpp>

namespace fovea::core::simd {

/// The code of a whole small scan: products, gates and state of a batch row over all its steps in one
/// function. `loop` is the plan's step that begins the scan.
template <class model_of, int loop>
struct scan_loop {
  using model = model_of;
  static constexpr const graph_view& g = model::view;
  static constexpr const auto& schedule = model::schedule;
  static constexpr int region = schedule.steps[loop].node, end = schedule.steps[loop].first;
  static constexpr region_entry scan = g.region(region);

  /// What the scan reads and writes, as nodes: sequences, parameters that are multiplied by and others,
  /// outputs.
  struct content {
    node_list<max_scan_values> inputs, weights, vectors, outputs;
    bool fits = true;
  };

  static constexpr int base(int id) { return schedule.groups.base[id]; }
  static constexpr bool inside(int id) { return g.at(id).region == region; }
  static constexpr int width_of(int id) {
    const shape& s = g.at(id).shape;
    return s.rank == 0 || !g.is_number(s[-1]) ? 1 : static_cast<int>(g.number(s[-1]));
  }
  /// Each layer of the repeats around the scan has packed parameters of its own.
  static constexpr int layers_of(int) { return 1; }
  static constexpr int vector_floats(int id) { return width_of(id); }
  /// Compilers keep what a scan carries in registers where it fits.
  static constexpr bool was_stored(int) { return false; }
  /// A value of one step: one row of features for each batch row.
  static constexpr bool is_row(int id) {
    const shape& s = g.at(id).shape;
    return s.rank >= 1 && s.rank <= 2 && g.is_number(s[-1]) && g.number(s[-1]) <= largest_row;
  }

  /// Whether it has a row for each of those of what the scan carries first, as what is in memory must.
  static constexpr bool has_rows(int id) {
    const shape &s = g.at(id).shape, &first = g.at(scan.first).shape;
    return is_row(id) && s.rank == first.rank && (s.rank == 1 || s[0] == first[0]);
  }

  static constexpr content find() {
    content c;
    const auto require = [&](bool holds) { c.fits = c.fits && holds; };
    const auto read = [&](int id) {
      const int b = base(id);
      const node& n = g.at(b);
      const shape& s = g.at(id).shape;
      if (n.kind == op::constant) {
        require(b == id);
        return;
      }
      if (n.kind == op::parameter) {
        require(n.shape.rank == 1 && n.type == element::f32 && s.rank > 0 && s[-1] == n.shape[0] &&
                c.vectors.add(b));
        for (int axis = 0; axis < s.rank - 1; ++axis) require(g.is_number(s[axis]) && g.number(s[axis]) == 1);
      } else {
        require(inside(b) && is_row(b) && n.type == element::f32 && s == n.shape);
      }
      if (c.fits && n.kind == op::slice) {
        require(n.settings.slice.axis == n.shape.rank - 1 && g.is_number(n.settings.slice.first));
        const int from = base(g.operand(b, 0));
        require(inside(from) && is_row(from) && g.at(from).kind != op::slice);
      }
    };
    require(scan.is_scan() && scan.carried > 0 && scan.carried <= max_scan_values);
    for (int k = 0; k < scan.carried; ++k)
      require(has_rows(scan.first + k) && g.at(scan.first + k).type == element::f32 &&
              inside(base(scan.results[k])));
    std::int64_t weights = 0;
    for (int i = loop + 1; i < end && c.fits; ++i) {
      const step& s = schedule.steps[i];
      const node& n = g.at(s.node);
      if (s.kind == step_kind::product) {
        for (int p = 0; p < s.count; ++p) {
          const int root = schedule.parts[s.first + p], id = schedule.groups.product[root];
          const int weight = fixed_weight(g, id);
          require(!is_convolution(g.at(id).kind) && schedule.groups.norm[id] < 0 &&
                  g.at(weight).kind == op::parameter && has_rows(root) && c.weights.add(id) &&
                  (g.at(id).operand_count < 3 || g.at(g.operand(id, 2)).kind == op::parameter));
          if (!c.fits) break;
          weights += g.number(g.at(weight).shape[0]) * g.number(g.at(weight).shape[1]);
          read(g.operand(id, 0));
          if (schedule.groups.join[root] != op::none) read(schedule.groups.other[root]);
        }
      } else if (s.kind == step_kind::chain) {
        require(has_rows(s.node) && n.type == element::f32);
        for (const std::int32_t leaf : schedule.leaves_of(s.node)) read(leaf);
      } else if (s.kind == step_kind::single && n.kind == op::time_step) {
        const shape& sequence = g.at(g.operand(s.node, 0)).shape;
        const int from = base(g.operand(s.node, 0));
        require(has_rows(s.node) && n.type == element::f32 &&
                (schedule.places[from].in_slot() || schedule.places[from].where == lies::inside) &&
                (n.settings.time.axis == 0 || n.settings.time.axis == sequence.rank - 2) &&
                c.inputs.add(s.node));
      } else if (s.kind == step_kind::single && n.kind == op::stack) {
        require((n.settings.time.axis == 0 || n.settings.time.axis == n.shape.rank - 2) &&
                n.type == element::f32 && has_rows(g.operand(s.node, 0)) && c.outputs.add(s.node));
        read(g.operand(s.node, 0));
      } else {
        require(s.kind == step_kind::single && n.kind == op::slice);
        if (c.fits) read(s.node);
      }
    }
    require(weights <= most_row_weights);
    return c;
  }
  static constexpr content found = find();
  static constexpr bool eligible = found.fits;

  // Memory

  /// Where a value of one step lies in the local memory: products and chains one after another.
  static constexpr auto places = [] {
    std::array<int, g.nodes.size() + 1> at{};
    int next = 0;
    for (int i = loop + 1; i < end; ++i) {
      const step& s = schedule.steps[i];
      const auto place = [&](int id) {
        at[static_cast<std::size_t>(id)] = next;
        next += padded_row(width_of(id));
      };
      if (s.kind == step_kind::product)
        for (int p = 0; p < s.count; ++p) place(schedule.parts[s.first + p]);
      else if (s.kind == step_kind::chain)
        place(s.node);
    }
    at.back() = next;
    return at;
  }();
  static constexpr int state_floats = [] {
    int n = 0;
    for (int k = 0; k < scan.carried; ++k) n += padded_row(width_of(scan.first + k));
    return n;
  }();
  static constexpr int state_place(int k) {
    int n = 0;
    for (int i = 0; i < k; ++i) n += padded_row(width_of(scan.first + i));
    return n;
  }

  /// The last step that reads what the scan carries, or -1.
  static constexpr int last_reader(int carried) {
    int last = -1;
    bool in_parts = false; // which may lie elsewhere than what is made of them
    for (int i = loop + 1; i < end; ++i) {
      const step& s = schedule.steps[i];
      const auto reads = [&](int root) {
        for (int id = scan.first; id < scan.last; ++id)
          if (schedule.groups.live[id] && schedule.groups.root[id] == root)
            for (int k = 0; k < g.at(id).operand_count; ++k) {
              const int from = base(g.operand(id, k));
              if (from == carried) return true;
              in_parts = in_parts || (g.at(from).kind == op::slice && base(g.operand(from, 0)) == carried);
            }
        return false;
      };
      bool any = reads(s.node);
      if (s.kind == step_kind::product)
        for (int p = 0; p < s.count; ++p) any = any || reads(schedule.parts[s.first + p]);
      if (any) last = i;
    }
    return in_parts ? end : last;
  }
  /// Whether the next value of state k is written where the state lies, since a chain makes it and no later
  /// step reads what was there.
  static constexpr bool in_place(int k) {
    const int root = schedule.groups.root[base(scan.results[k])], carried = scan.first + k;
    if (root != base(scan.results[k]) || !(g.at(root).shape == g.at(carried).shape)) return false;
    int made = -1;
    for (int i = loop + 1; i < end; ++i)
      if (schedule.steps[i].kind == step_kind::chain && schedule.steps[i].node == root) made = i;
    for (int other = 0; other < scan.carried; ++other) {
      int from = base(scan.results[other]);
      if (other != k && from == root) return false;
      if (g.at(from).kind == op::slice) from = base(g.operand(from, 0));
      if (from == carried) return false;
    }
    return made >= 0 && last_reader(carried) <= made;
  }
  /// The state whose next value a node is, written in place, or -1.
  static constexpr int state_made(int id) {
    for (int k = 0; k < scan.carried; ++k)
      if (base(scan.results[k]) == id && in_place(k)) return k;
    return -1;
  }

  template <class Arch>
  struct code : row_steps<scan_loop, Arch, code<Arch>> {
    using steps = row_steps<scan_loop, Arch, code<Arch>>;

    /// What one batch row works with: the current step of each sequence, the states, and local memory.
    struct row {
      const float* packed;
      bool backward = false; // see row_steps::multiply
      const float* inputs[max_scan_values];
      float* outputs[max_scan_values];
      // Room for a vector behind the last value, for what begins inside of it.
      alignas(64) float states[state_floats + 16] = {};
      alignas(64) float values[places.back() + 16] = {};
    };

    template <int id>
    [[gnu::always_inline]] static float* place(row& r) {
      if constexpr (constexpr int k = state_made(id); k >= 0)
        return r.states + state_place(k);
      else
        return r.values + places[static_cast<std::size_t>(id)];
    }
    template <int id>
    [[gnu::always_inline]] static const float* at(const row& r) {
      constexpr int b = base(id);
      constexpr node n = g.at(b);
      if constexpr (n.kind == op::parameter)
        return r.packed + steps::template vector_at<b>;
      else if constexpr (n.kind == op::carry)
        return r.states + state_place(n.settings.carried.index);
      else if constexpr (n.kind == op::time_step)
        return r.inputs[found.inputs.index_of(b)];
      else if constexpr (n.kind == op::slice)
        return at<g.operand(b, 0)>(r) + g.number(n.settings.slice.first);
      else
        return place<schedule.groups.root[b]>(const_cast<row&>(r));
    }
    [[gnu::always_inline]] static bool backward(const row& r) { return r.backward; }
    template <int weighted>
    [[gnu::always_inline]] static const float* weights_of(const row& r) {
      return r.packed + steps::template weight_at<weighted>;
    }

    template <int i>
    [[gnu::always_inline]] static void run_step(row& r) {
      constexpr step s = schedule.steps[i];
      if constexpr (s.kind == step_kind::product)
        detail::for_constants<static_cast<size_t>(s.count)>([&](auto p) __attribute__((always_inline)) {
          steps::template run_product<schedule.parts[s.first + static_cast<int>(p)]>(r);
        });
      else if constexpr (s.kind == step_kind::chain)
        steps::template run_elementwise<s.node>(r);
      else if constexpr (g.at(s.node).kind == op::stack) {
        const float* from = at<g.operand(s.node, 0)>(r);
        float* to = r.outputs[found.outputs.index_of(s.node)];
        for (int j = 0; j < width_of(g.operand(s.node, 0)); ++j) to[j] = from[j];
      }
    }

    /// Batch rows first <= b < last.
    static void run(const scan_args& a, size_t first, size_t last) {
      row r;
      r.packed = a.packed;
      for (size_t b = first; b < last; ++b) {
        detail::for_constants<static_cast<size_t>(scan.carried)>([&](auto k) {
          constexpr int count = width_of(scan.first + static_cast<int>(k));
          float* state = r.states + state_place(static_cast<int>(k));
          for (int j = 0; j < padded_row(count); ++j)
            state[j] = j < count ? a.states[k][b * count + static_cast<size_t>(j)] : 0.f;
        });
        for (size_t pass = 0; pass < a.steps; ++pass) {
          const size_t t = scan.reversed ? a.steps - 1 - pass : pass;
          r.backward = !r.backward;
          for (int i = 0; i < found.inputs.count; ++i)
            r.inputs[i] = a.inputs[i] + b * a.input_row[i] + t * a.input_time[i];
          for (int i = 0; i < found.outputs.count; ++i)
            r.outputs[i] = a.outputs[i] + b * a.output_row[i] + t * a.output_time[i];
          detail::for_constants<static_cast<size_t>(end - loop - 1)>([&](
              auto i) __attribute__((always_inline)) { run_step<loop + 1 + static_cast<int>(i)>(r); });
          next_state(r, std::make_index_sequence<static_cast<size_t>(scan.carried)>{});
        }
        detail::for_constants<static_cast<size_t>(scan.carried)>([&](auto k) {
          constexpr int count = width_of(scan.first + static_cast<int>(k));
          const float* state = r.states + state_place(static_cast<int>(k));
          for (int j = 0; j < count; ++j) a.states[k][b * count + static_cast<size_t>(j)] = state[j];
        });
      }
    }

  private:
    /// All states change at once: one may be another's earlier value.
    template <size_t... k>
    [[gnu::always_inline]] static void next_state(row& r, std::index_sequence<k...>) {
      constexpr auto is_computed = [](int id) {
        return g.at(base(id)).kind != op::carry && g.at(base(id)).kind != op::slice;
      };
      constexpr bool direct = (is_computed(scan.results[k]) && ...);
      alignas(64) float next[state_floats];
      const auto move = [&](auto which, float* to) {
        constexpr int i = static_cast<int>(which), count = padded_row(width_of(scan.first + i));
        if constexpr (in_place(i)) return;
        const float* from = at<scan.results[i]>(r);
        for (int j = 0; j < count; j += static_cast<int>(width<Arch>))
          vec<Arch>::load_unaligned(from + j).store_aligned(to + state_place(i) + j);
      };
      if constexpr (direct) {
        (move(std::integral_constant<size_t, k>{}, r.states), ...);
      } else {
        (move(std::integral_constant<size_t, k>{}, next), ...);
        const auto settle = [&](auto which) {
          constexpr int i = static_cast<int>(which), at = state_place(i);
          if constexpr (!in_place(i))
            for (int j = 0; j < padded_row(width_of(scan.first + i)); ++j) r.states[at + j] = next[at + j];
        };
        (settle(std::integral_constant<size_t, k>{}), ...);
      }
    }
  };
};

template <class model, int loop>
constexpr scan_nodes nodes_of_scan() {
  using code = scan_loop<model, loop>;
  return {code::region,
          code::found.inputs.nodes,
          code::found.outputs.nodes,
          code::found.weights.nodes,
          code::found.vectors.nodes,
          code::found.inputs.count,
          code::found.outputs.count,
          code::found.weights.count,
          code::found.vectors.count};
}

/// Whether step i of a model's plan begins a scan that is one function.
template <class model, int i>
constexpr bool is_small_scan() {
  if constexpr (model::schedule.steps[i].kind == step_kind::loop_begin)
    return scan_loop<model, i>::eligible;
  else
    return false;
}

/// The same of every step.
template <class model>
inline constexpr auto small_scans = []<int... i>(std::integer_sequence<int, i...>) {
  return std::array<bool, sizeof...(i) + 1>{is_small_scan<model, i>()...};
}
(std::make_integer_sequence<int, model::schedule.step_count>{});

} // namespace fovea::core::simd
