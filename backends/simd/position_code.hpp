#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/position_content.hpp>

namespace fovea::core::simd {

/// The code of a small stream for one new position: every step of its plan for one batch row in one function,
/// scans along `time` taking the one step that there is. `model_of` is the lowered step of the stream.
template <class model_of, dim time>
struct position_code : position_content<model_of, time> {
  using model = model_of;
  using content = position_content<model, time>;
  using content::g, content::schedule, content::found, content::has_batch, content::width_of,
      content::storage;
  static constexpr int most_values = 1 << 14;

  template <int id>
  static constexpr int row_width = width_of(id);
  /// Floats from one batch row of a value to the next.
  template <int id>
  static constexpr size_t row_floats = has_batch(id) ? static_cast<size_t>(width_of(id)) : 0;
  static constexpr int layers_of(int id) { return static_cast<int>(g.layers(id)); }
  static constexpr int vector_floats(int id) { return width_of(id); }
  /// Whether a value was stored by an earlier call.
  static constexpr bool was_stored(int id) {
    const op kind = g.at(storage(id)).kind;
    return kind == op::state || kind == op::cache || kind == op::input;
  }

  /// Where a value lies in the local memory: what steps make and loops carry, one after another.
  static constexpr auto places = [] {
    std::array<int, g.nodes.size() + 1> at{};
    int next = 0;
    const auto place = [&](int id) {
      at[static_cast<std::size_t>(id)] = next;
      next += padded_row(width_of(id));
    };
    for (int i = 0; i < schedule.step_count && found.fits; ++i) {
      const step& s = schedule.steps[i];
      if (s.kind == step_kind::product || s.kind == step_kind::convolution)
        for (int p = 0; p < s.count; ++p) place(schedule.parts[s.first + p]);
      else if (s.kind == step_kind::chain)
        place(s.node);
      else if (s.kind == step_kind::loop_begin && !g.region(s.node).is_scan())
        for (int k = 0; k < g.region(s.node).carried; ++k) place(g.region(s.node).first + k);
      else if (s.kind == step_kind::single && g.at(s.node).kind != op::cache &&
               g.at(s.node).kind != op::keep && storage(s.node) == s.node && g.at(s.node).kind != op::slice)
        place(s.node);
    }
    at.back() = next;
    return at;
  }();
  static constexpr bool has_single(op kind) {
    for (int i = 0; i < schedule.step_count; ++i)
      if (schedule.steps[i].kind == step_kind::single && g.at(schedule.steps[i].node).kind == kind)
        return true;
    return false;
  }
  /// Whether it reads how many positions went before, and whether it keeps windows, which move.
  static constexpr bool reads_position = has_single(op::position), has_windows = has_single(op::cache);
  static constexpr bool eligible = found.fits && places.back() <= most_values;

  template <class Arch>
  struct code : row_steps<position_code, Arch, code<Arch>> {
    using steps = row_steps<position_code, Arch, code<Arch>>;

    struct row {
      const position_args& call;
      size_t batch;
      std::int64_t layers[g.regions.size() > 0 ? g.regions.size() : 1] = {};
      // Room for a vector behind the last value, for what begins inside of it.
      alignas(64) float values[places.back() + 16];

      row(const position_args& of, size_t batch_row) : call(of), batch(batch_row) {}
    };

    template <int id>
    [[gnu::always_inline]] static float* state(const row& r) {
      constexpr node n = g.at(id);
      const kept_state& s = r.call.states[kept_index(n)];
      float* data = s.data + static_cast<size_t>(r.layers[n.region]) * s.layer;
      if constexpr (n.kind == op::cache)
        return data +
               (r.batch * s.rows + r.call.window_start) * static_cast<size_t>(row_width<g.operand(id, 0)>);
      else
        return data + r.batch * row_floats<id>;
    }
    template <int id>
    [[gnu::always_inline]] static float* place(row& r) {
      return r.values + places[static_cast<std::size_t>(id)];
    }
    template <int id>
    [[gnu::always_inline]] static const float* at(const row& r) {
      constexpr int b = storage(id);
      constexpr node n = g.at(b);
      if constexpr (n.kind == op::parameter)
        return r.call.packed + steps::template vector_at<b> + r.layers[n.region] * padded_row(row_width<b>);
      else if constexpr (n.kind == op::input)
        return r.call.inputs[n.settings.entry.index] + r.batch * row_floats<b>;
      else if constexpr (n.kind == op::state || n.kind == op::cache)
        return state<b>(r);
      else if constexpr (n.kind == op::slice)
        return at<g.operand(b, 0)>(r) + g.number(n.settings.slice.first);
      else
        return r.values + places[static_cast<std::size_t>(schedule.groups.root[b])];
    }
    [[gnu::always_inline]] static bool backward(const row& r) { return r.call.backward; }
    template <int weighted>
    [[gnu::always_inline]] static const float* weights_of(const row& r) {
      return r.call.packed + steps::template weight_at<weighted> +
             r.layers[g.at(weighted).region] * steps::template floats_of<weighted>;
    }

    /// The positions before the row's own.
    template <int id>
    [[gnu::always_inline]] static std::int32_t before(const row& r) {
      return has_batch(id) ? r.call.row_before : r.call.before;
    }
    /// In the vectors that read them: one that is stored in pieces is there only when the cache has them all.
    template <int count>
    [[gnu::always_inline]] static void copy(float* to, const float* from) {
      using arch = detail::row_arch<Arch, count>;
      constexpr int lanes = static_cast<int>(width<arch>), whole = count / lanes * lanes;
      for (int j = 0; j < whole; j += lanes) vec<arch>::load_unaligned(from + j).store_unaligned(to + j);
      std::memcpy(to + whole, from + whole, (count - whole) * sizeof(float));
    }
    /// Zeros where the last vector of `count` values in local memory will not be filled.
    template <int count>
    [[gnu::always_inline]] static void clear_end(float* to) {
      if constexpr (count % 16 != 0) std::memset(to + count / 16 * 16, 0, 16 * sizeof(float));
    }

    template <int id>
    [[gnu::always_inline]] static void run_single(row& r) {
      constexpr node n = g.at(id);
      float* to = r.values + places[static_cast<std::size_t>(id)];
      if constexpr (n.kind == op::cache)
        copy<row_width<g.operand(id, 0)>>(state<id>(r) + n.settings.cache.kept * row_width<g.operand(id, 0)>,
                                          at<g.operand(id, 0)>(r));
      else if constexpr (n.kind == op::position || n.kind == op::time_index)
        // Whole, as it is read: a vector that waits for one number to be stored waits long.
        std::fill_n(reinterpret_cast<std::int32_t*>(to), padded_row(1),
                    n.kind == op::position ? before<id>(r) : 0);
      else if constexpr (n.kind == op::broadcast && storage(id) == id)
        for (int j = 0; j < row_width<id>; ++j) to[j] = *at<g.operand(id, 0)>(r);
      else if constexpr (n.kind == op::concat) {
        clear_end<row_width<id>>(to);
        detail::for_constants<n.operand_count>([&](auto k) {
          constexpr int from = g.operand(id, static_cast<int>(k));
          copy<row_width<from>>(to, at<from>(r));
          to += row_width<from>;
        });
      }
    }

    static constexpr int carried_floats(int region) {
      int n = 0;
      for (int k = 0; k < g.region(region).carried; ++k)
        n += padded_row(width_of(g.region(region).first + k));
      return n;
    }
    template <int region, bool from_outside>
    [[gnu::always_inline]] static void carry(row& r) {
      constexpr region_entry loop = g.region(region);
      constexpr auto count = static_cast<size_t>(loop.carried);
      // All change at once: one may be another's earlier value.
      alignas(64) float next[carried_floats(region)];
      const auto move = [&](bool into_next) {
        float* to = next;
        detail::for_constants<count>([&](auto k) {
          constexpr int id = loop.first + static_cast<int>(k);
          constexpr int from = from_outside ? g.operand(id, 0) : loop.results[k];
          float* place = r.values + places[static_cast<std::size_t>(id)];
          if (into_next) {
            clear_end<row_width<id>>(to);
            copy<row_width<id>>(to, at<from>(r));
          } else
            copy<padded_row(row_width<id>)>(place, to);
          to += padded_row(row_width<id>);
        });
      };
      move(true);
      move(false);
    }

    template <int i>
    [[gnu::always_inline]] static void run_step(row& r) {
      constexpr step s = schedule.steps[i];
      if constexpr (s.kind == step_kind::product || s.kind == step_kind::convolution)
        detail::for_constants<static_cast<size_t>(s.count)>(
            [&](auto p) { steps::template run_product<schedule.parts[s.first + static_cast<int>(p)]>(r); });
      else if constexpr (s.kind == step_kind::chain)
        steps::template run_elementwise<s.node>(r);
      else if constexpr (s.kind == step_kind::single)
        run_single<s.node>(r);
    }
    /// The step after i: behind the end of a loop that begins there.
    static constexpr int after(int i) {
      return schedule.steps[i].kind == step_kind::loop_begin ? schedule.steps[i].first + 1 : i + 1;
    }
    template <int first, int last>
    [[gnu::always_inline]] static void run_steps(row& r) {
      if constexpr (first < last) {
        if constexpr (schedule.steps[first].kind == step_kind::loop_begin) {
          constexpr step s = schedule.steps[first];
          constexpr region_entry loop = g.region(s.node);
          const std::int64_t before = r.layers[loop.parent] * loop.count;
          r.layers[s.node] = before;
          if constexpr (loop.is_scan()) {
            run_steps<first + 1, s.first>(r);
          } else {
            carry<s.node, true>(r);
            for (std::int64_t pass = 0; pass < loop.count; ++pass) {
              r.layers[s.node] = before + pass;
              run_steps<first + 1, s.first>(r);
              keep_all<first + 1, s.first>(r);
              carry<s.node, false>(r);
            }
          }
        } else {
          run_step<first>(r);
        }
        run_steps<after(first), last>(r);
      }
    }
    /// What a pass keeps goes to its place when all of the pass has read what was there.
    template <int first, int last>
    [[gnu::always_inline]] static void keep_all(row& r) {
      if constexpr (first < last) {
        constexpr step s = schedule.steps[first];
        if constexpr (s.kind == step_kind::single && g.at(s.node).kind == op::keep)
          copy<row_width<s.node>>(state<s.node>(r), at<g.operand(s.node, 0)>(r));
        keep_all<after(first), last>(r);
      }
    }

    static void run(const position_args& call, size_t batch_row) {
      row r(call, batch_row);
      run_steps<0, schedule.step_count>(r);
      detail::for_constants<g.outputs.size()>([&](auto i) {
        constexpr int id = g.outputs[i].node;
        copy<row_width<id>>(call.outputs[i] + batch_row * row_floats<id>, at<id>(r));
      });
      keep_all<0, schedule.step_count>(r);
    }
  };

  /// Its code for one instruction set, or none.
  template <class Arch>
  static constexpr generated_position generated() {
    if constexpr (eligible)
      return {code<Arch>::run, code<Arch>::pack, code<Arch>::packed_floats};
    else
      return {};
  }
};

} // namespace fovea::core::simd
