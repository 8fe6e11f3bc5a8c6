#pragma once

#include <cstddef>
#include <utility>

#include <fovea/backends/simd/block_content.hpp>
#include <fovea/backends/simd/chain.hpp>
#include <fovea/backends/simd/kernels/epilogue.hpp>
#include <fovea/backends/simd/kernels/positions.hpp>

namespace fovea::core::simd {

/// The code of a small stream for a block of new positions of one batch row: every step of its plan in one function, for as
/// many positions together as a few vectors have lanes. `model_of` is the lowered step of the stream.
template <class model_of, dim time>
struct block_code : block_content<model_of, time> {
  using model = model_of;
  using content = block_content<model, time>;
  using content::features_of, content::first_feature, content::found, content::g, content::owner,
      content::schedule, content::storage, content::width_of;
  static constexpr bool exists = found.fits;

  template <class Arch>
  struct code {
    static constexpr size_t lanes = width<Arch>, together = positions_together<Arch>;

    /// The positions that are computed together, `count` of them from `first` of the call on. Each value has a row of
    /// positions for each feature.
    struct row {
      const block_args& call;
      size_t first, count;
      alignas(64) float values[static_cast<size_t>(found.features) * together];
      alignas(64) float window[static_cast<size_t>(found.window) * together];

      row(const block_args& of, size_t first_position)
          : call(of), first(first_position),
            count(of.positions - first_position < together ? of.positions - first_position : together) {}
    };

    // Packed parameters: of each product the bias, then for each few outputs their weights [depth, outputs]; then the
    // vectors.
    static constexpr size_t depth_of(int product) {
      return static_cast<size_t>(features_of(product) * taps_of_product(g, product));
    }
    static constexpr size_t outputs_of(int product) { return static_cast<size_t>(width_of(product)); }
    static constexpr size_t weight_place(int i) {
      size_t n = 0;
      for (int k = 0; k < i; ++k)
        n += outputs_of(found.weights.nodes[k]) * (1 + depth_of(found.weights.nodes[k]));
      return n;
    }
    static constexpr size_t vector_place(int i) {
      size_t n = weight_place(found.weights.count);
      for (int k = 0; k < i; ++k) n += static_cast<size_t>(width_of(found.vectors.nodes[k]));
      return n;
    }
    template <int product>
    static constexpr size_t weight_at = weight_place(found.weights.index_of(product));
    template <int vector>
    static constexpr size_t vector_at = vector_place(found.vectors.index_of(vector));
    static constexpr size_t packed_floats = vector_place(found.vectors.count);

    static void pack(const row_parameter* from, float* to) {
      for (int i = 0; i < found.weights.count; ++i, ++from) {
        const int id = found.weights.nodes[i];
        const size_t depth = depth_of(id), outputs = outputs_of(id);
        for (size_t o = 0; o < outputs; ++o) *to++ = from->bias ? from->bias[o] : 0;
        for (size_t o = 0; o < outputs; o += outputs_together<Arch>)
          for (size_t k = 0; k < depth; ++k)
            for (size_t one = o; one < outputs && one < o + outputs_together<Arch>; ++one)
              *to++ = from->values[from->from_columns ? k * outputs + one : one * depth + k];
      }
      for (int i = 0; i < found.vectors.count; ++i, ++from)
        for (int f = 0; f < width_of(found.vectors.nodes[i]); ++f) *to++ = from->values[f];
    }

    template <int id>
    [[gnu::always_inline]] static float* place(row& r) {
      return r.values + static_cast<size_t>(found.place[id]) * together;
    }
    /// Of a value the positions of its first feature, of a parameter its first number.
    template <int id>
    [[gnu::always_inline]] static const float* at(row& r) {
      constexpr int from = owner(id);
      if constexpr (g.at(from).kind == op::parameter)
        return r.call.packed + vector_at<from>;
      else
        return place<from>(r) + static_cast<size_t>(first_feature(id)) * together;
    }
    /// From one feature to the next; one feature stands for all.
    template <int id>
    static constexpr size_t apart = width_of(id) == 1                       ? 0
                                    : g.at(owner(id)).kind == op::parameter ? 1
                                                                            : together;
    /// What is kept from the position on that the first of these sees first.
    template <int id>
    [[gnu::always_inline]] static float* window(const row& r) {
      return r.call.states[kept_index(g.at(id))].data +
             (r.call.window_start + r.first) * static_cast<size_t>(width_of(g.operand(id, 0)));
    }

    template <int root>
    [[gnu::always_inline]] static void run_product(row& r) {
      constexpr int id = schedule.groups.product[root], left = storage(g.operand(id, 0));
      constexpr size_t features = static_cast<size_t>(features_of(id)), outputs = outputs_of(id);
      constexpr size_t taps = static_cast<size_t>(taps_of_product(g, id));
      const float* x = r.window;
      if constexpr (taps > 1) {
        constexpr size_t step = static_cast<size_t>(g.window_of(id).dilation[1]) * features;
        spread_positions<Arch, features>(window<left>(r), step, taps - 1, r.count, r.window);
        // What the last tap sees has just been made.
        std::memcpy(r.window + (taps - 1) * features * together, at<g.operand(left, 0)>(r),
                    features * together * sizeof(float));
      } else {
        x = at<left>(r);
      }
      const float *bias = r.call.packed + weight_at<id>, *weights = bias + outputs;
      float* const to = place<root>(r);
      constexpr size_t most = outputs_together<Arch>, rest = outputs % most;
      for (size_t o = 0; o + most <= outputs; o += most, weights += most * taps * features)
        multiply_positions<Arch, most>(x, taps, features, weights, bias + o, to + o * together);
      if constexpr (rest > 0)
        multiply_positions<Arch, rest>(x, taps, features, weights, bias + outputs - rest,
                                       to + (outputs - rest) * together);
      finish<root>(r, to);
    }
    /// The activation and the join of a product.
    template <int root>
    [[gnu::always_inline]] static void finish(row& r, float* to) {
      constexpr op act = schedule.groups.activation[root], join = schedule.groups.join[root];
      if constexpr (act != op::none || join != op::none) {
        const float* other = to;
        if constexpr (join != op::none) other = at<schedule.groups.other[root]>(r);
        for (size_t j = 0; j < outputs_of(root) * together; j += lanes) {
          vec<Arch> y = detail::activated<Arch, act>(vec<Arch>::load_aligned(to + j));
          if constexpr (join != op::none)
            y = detail::joined<Arch>(join, y, vec<Arch>::load_aligned(other + j));
          y.store_aligned(to + j);
        }
      }
    }
    template <int last>
    [[gnu::always_inline]] static void run_elementwise(row& r) {
      using elementwise = chain<model, last>;
      using generated = typename elementwise::template code<Arch, true>;
      float* to = place<last>(r);
      for (size_t f = 0; f < static_cast<size_t>(width_of(last)); ++f, to += together) {
        typename generated::row leaves;
        [&]<std::size_t... i>(std::index_sequence<i...>) {
          ((leaves.leaf[i] = at<elementwise::leaf(i)>(r) + f * apart<elementwise::leaf(i)>), ...);
        }
        (std::make_index_sequence<elementwise::leaf_count>{});
        for (size_t j = 0; j < together; j += lanes)
          generated::store(to + j, generated::result(leaves, j, typename generated::members{}));
      }
    }
    template <int id>
    [[gnu::always_inline]] static void run_single(row& r) {
      constexpr node n = g.at(id);
      if constexpr (n.kind == op::cache) {
        constexpr int from = g.operand(id, 0);
        constexpr size_t features = static_cast<size_t>(width_of(from));
        join_positions<Arch, features>(at<from>(r), r.count,
                                       window<id>(r) + n.settings.cache.kept * features);
      } else if constexpr (n.kind == op::concat) {
        float* to = place<id>(r);
        detail::for_constants<n.operand_count>([&](auto k) {
          constexpr int from = g.operand(id, static_cast<int>(k));
          constexpr size_t floats = static_cast<size_t>(width_of(from)) * together;
          std::memcpy(to, at<from>(r), floats * sizeof(float));
          to += floats;
        });
      }
    }
    template <int i>
    [[gnu::always_inline]] static void run_step(row& r) {
      constexpr step s = schedule.steps[i];
      if constexpr (s.kind == step_kind::product || s.kind == step_kind::convolution)
        detail::for_constants<static_cast<size_t>(s.count)>(
            [&](auto p) { run_product<schedule.parts[s.first + static_cast<int>(p)]>(r); });
      else if constexpr (s.kind == step_kind::chain)
        run_elementwise<s.node>(r);
      else
        run_single<s.node>(r);
    }
    template <std::size_t... i>
    [[gnu::always_inline]] static void run_steps(row& r, std::index_sequence<i...>) {
      [[maybe_unused]] const int order[] = {0, (run_step<static_cast<int>(i)>(r), 0)...};
    }

    static void run(const block_args& call) {
      for (size_t first = 0; first < call.positions; first += together) {
        row r(call, first);
        detail::for_constants<g.inputs.size()>([&](auto i) {
          constexpr int id = g.inputs[i].node;
          constexpr size_t features = static_cast<size_t>(width_of(id));
          spread_positions<Arch, features>(call.inputs[i] + first * features, 0, 1, r.count, place<id>(r));
        });
        run_steps(r, std::make_index_sequence<static_cast<std::size_t>(schedule.step_count)>{});
        detail::for_constants<g.outputs.size()>([&](auto i) {
          constexpr int id = g.outputs[i].node;
          constexpr size_t features = static_cast<size_t>(width_of(id));
          join_positions<Arch, features>(at<id>(r), r.count, call.outputs[i] + first * features);
        });
      }
    }
  };

  /// Its code for one instruction set, or none.
  template <class Arch>
  static constexpr generated_block generated() {
    if constexpr (exists)
      return {code<Arch>::lanes, code<Arch>::run, code<Arch>::pack, code<Arch>::packed_floats};
    else
      return {};
  }
};

} // namespace fovea::core::simd
