#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <fovea/backends/simd/chain.hpp>
#include <fovea/backends/simd/generated.hpp>
#include <fovea/backends/simd/kernels/epilogue.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/panel.hpp>
#include <fovea/dsl/plan/plan.hpp>

namespace fovea::simd {

/// What functions over one batch row have in common: small scans (scan_code.hpp) and single positions of
/// small streams (position_code.hpp). Every size is a constant, every value of the row lies in local memory,
/// weights are packed for the set that the function is compiled for.

inline constexpr int largest_row = 1024;                // features of a value of a row
inline constexpr int most_row_weights = 128 * 1024 / 4; // floats

/// Nodes, each once.
template <int most>
struct node_list {
  int nodes[most] = {};
  int count = 0;
  constexpr int index_of(int id) const {
    for (int i = 0; i < count; ++i)
      if (nodes[i] == id) return i;
    return -1;
  }
  constexpr bool add(int id) {
    if (index_of(id) >= 0) return true;
    if (count == most) return false;
    nodes[count++] = id;
    return true;
  }
};

/// Floats that a value takes in local memory: whole vectors of any set.
constexpr int padded_row(int count) { return (count + 15) / 16 * 16; }

/// Windows of a convolution that moves along one axis: a product over `taps` rows of features, each
/// `dilation` rows behind the next.
constexpr int taps_of_product(const graph_view& g, int id) {
  return is_convolution(g.at(id).kind) ? static_cast<int>(g.window_of(id).taps()) : 1;
}

namespace detail {

/// The set whose vectors a row of `count` values is computed in: halves of a vector that was just stored can
/// be read at once, pieces of two can't, so rows that do not fill AVX-512's vectors are taken in narrower
/// ones.
template <class Arch, int count>
struct row_arch {
  using type = Arch;
};
#if defined(__AVX512BW__) && defined(__AVX512DQ__)
template <int count>
requires(count % 16 != 0 && count <= 128) struct row_arch<avx512, count> {
  using type = avx2;
};
#endif

} // namespace detail

/// The steps that make values, for a `program` that lists its products and vectors (`found.weights`,
/// `found.vectors`) and has a place for each result (`places`); `code::at<id>(row)` is where a value lies and
/// `code::weights_of<id>(row)` where the packed weights of a product begin.
template <class program, class Arch, class code>
struct row_steps {
  static constexpr const graph_view& g = program::g;
  static constexpr const auto& schedule = program::schedule;

  static constexpr int columns_of(int weighted) {
    return static_cast<int>((static_cast<size_t>(program::width_of(weighted)) + panel<Arch> - 1) /
                            panel<Arch> * panel<Arch>);
  }
  /// Features of one row that a product reads.
  static constexpr int features_of(int weighted) {
    return static_cast<int>(g.number(g.at(g.operand(weighted, 0)).shape[-1]));
  }
  static constexpr int depth_of(int weighted) { return features_of(weighted) * taps_of_product(g, weighted); }

  // Packed parameters: of each product the bias and the panels, one after another for its layers; then the
  // vectors.
  static constexpr int weight_floats(int weighted) { return columns_of(weighted) * (1 + depth_of(weighted)); }
  static constexpr int weight_place(int i) {
    int n = 0;
    for (int k = 0; k < i; ++k)
      n += weight_floats(program::found.weights.nodes[k]) *
           program::layers_of(program::found.weights.nodes[k]);
    return n;
  }
  static constexpr int vector_place(int i) {
    int n = weight_place(program::found.weights.count);
    for (int k = 0; k < i; ++k)
      n += padded_row(program::vector_floats(program::found.vectors.nodes[k])) *
           program::layers_of(program::found.vectors.nodes[k]);
    return n;
  }
  /// Where a product or vector begins, and what one layer of a product takes, as constants.
  template <int weighted>
  static constexpr int weight_at = weight_place(program::found.weights.index_of(weighted));
  template <int weighted>
  static constexpr int floats_of = weight_floats(weighted);
  template <int vector>
  static constexpr int vector_at = vector_place(program::found.vectors.index_of(vector));
  static constexpr size_t packed_floats = static_cast<size_t>(vector_place(program::found.vectors.count));

  /// Packs the parameters: `from` has those of each product, then the vectors, layer after layer.
  static void pack(const row_parameter* from, float* to) {
    for (size_t i = 0; i < packed_floats; ++i) to[i] = 0;
    for (int i = 0; i < program::found.weights.count; ++i) {
      const int id = program::found.weights.nodes[i], depth = depth_of(id), columns = program::width_of(id);
      constexpr int across = static_cast<int>(panel<Arch>);
      for (int layer = 0; layer < program::layers_of(id); ++layer, ++from) {
        float* bias = to + weight_place(i) + layer * weight_floats(id);
        float* panels = bias + columns_of(id);
        for (int c = 0; c < columns; ++c) {
          if (from->bias != nullptr) bias[c] = from->bias[c];
          for (int k = 0; k < depth; ++k)
            panels[(c / across * depth + k) * across + c % across] =
                from->values[from->from_columns ? k * columns + c : c * depth + k];
        }
      }
    }
    for (int i = 0; i < program::found.vectors.count; ++i) {
      const int count = program::vector_floats(program::found.vectors.nodes[i]);
      for (int layer = 0; layer < program::layers_of(program::found.vectors.nodes[i]); ++layer, ++from)
        for (int c = 0; c < count; ++c) to[vector_place(i) + layer * padded_row(count) + c] = from->values[c];
    }
  }

  /// to = bias + the sum over `pieces` rows, `apart` floats from each other, of x W; several partial sums
  /// where few panels leave additions waiting.
  template <int features, int pieces, int columns>
  [[gnu::always_inline]] static void multiply(const float* x, size_t apart, const float* bias, float* to) {
    using v = vec<Arch>;
    constexpr size_t panels = static_cast<size_t>(columns) / panel<Arch>,
                     depth = static_cast<size_t>(features) * pieces;
    constexpr size_t most = width<Arch> == 16 ? 8 : width<Arch> == 8 ? 5 : 4; // two vectors each
    detail::for_constants<(panels + most - 1) / most>([&](auto block) {
      constexpr size_t first = block * most, count = panels - first < most ? panels - first : most,
                       vectors = 2 * count,
                       sums_of_each = vectors >= 6 || features < 4 ? 1
                                      : vectors >= 4               ? 2
                                                                   : 4;
      v sums[sums_of_each][vectors];
      detail::for_constants<vectors>(
          [&](auto i) { sums[0][i] = v::load_aligned(bias + first * panel<Arch> + i * width<Arch>); });
      detail::for_constants<(sums_of_each - 1) * vectors>(
          [&](auto i) { sums[1 + i / vectors][i % vectors] = v(0.f); });
      const float* w = bias + columns + first * panel<Arch> * depth;
      const float* row = x;
      for (int piece = 0; piece < pieces; ++piece) {
        const auto add = [&](size_t k, auto which) {
          const v xk(row[k]);
          detail::for_constants<vectors>([&](auto i) {
            sums[which][i] =
                fma<Arch>(xk, v::load_aligned(w + (i / 2 * depth + k) * panel<Arch> + i % 2 * width<Arch>),
                          sums[which][i]);
          });
        };
        size_t k = 0;
        for (; k + sums_of_each <= static_cast<size_t>(features); k += sums_of_each)
          detail::for_constants<sums_of_each>([&](auto which) { add(k + which, which); });
        for (; k < static_cast<size_t>(features); ++k) add(k, std::integral_constant<size_t, 0>{});
        row += apart;
        w += static_cast<size_t>(features) * panel<Arch>;
      }
      detail::for_constants<vectors>([&](auto i) {
        v sum = sums[0][i];
        detail::for_constants<sums_of_each - 1>([&](auto which) { sum = sum + sums[which + 1][i]; });
        sum.store_aligned(to + first * panel<Arch> + i * width<Arch>);
      });
    });
  }

  /// The product whose group has the given root, with its epilogue.
  template <int root, class row>
  [[gnu::always_inline]] static void run_product(row& r) {
    constexpr int id = schedule.groups.product[root], columns = columns_of(id), count = program::width_of(id);
    alignas(64) float sums[columns];
    const float* x = code::template at<g.operand(id, 0)>(r);
    constexpr int features = features_of(id), taps = taps_of_product(g, id);
    if constexpr (taps == 1) {
      multiply<features, 1, columns>(x, 0, code::template weights_of<id>(r), sums);
    } else {
      constexpr int dilation = g.window_of(id).dilation[1];
      if constexpr (dilation == 1)
        multiply<features * taps, 1, columns>(x, 0, code::template weights_of<id>(r), sums);
      else
        multiply<features, taps, columns>(x, static_cast<size_t>(dilation * features),
                                          code::template weights_of<id>(r), sums);
    }
    constexpr epilogue act = schedule.groups.activation[root];
    constexpr joining join = schedule.groups.join[root];
    if constexpr (act != epilogue::none) detail::activate<Arch>(static_cast<activation>(act), sums, columns);
    float* out = r.values + program::places[static_cast<std::size_t>(root)];
    const float* other = nullptr;
    if constexpr (join != joining::none) other = code::template at<schedule.groups.other[root]>(r);
    constexpr int lanes = static_cast<int>(width<Arch>), rounded = (count + lanes - 1) / lanes * lanes;
    for (int j = 0; j < rounded; j += lanes) {
      vec<Arch> y = vec<Arch>::load_aligned(sums + j);
      if constexpr (join == joining::add) y = y + vec<Arch>::load_unaligned(other + j);
      if constexpr (join == joining::multiply) y = y * vec<Arch>::load_unaligned(other + j);
      y.store_aligned(out + j);
    }
  }

  /// The elementwise chain that ends in a node.
  template <int node_id, class row>
  [[gnu::always_inline]] static void run_elementwise(row& r) {
    using elementwise = chain<typename program::model, node_id>;
    constexpr int count = program::width_of(node_id);
    using arch = typename detail::row_arch<Arch, count>::type;
    using generated = typename elementwise::template code<arch>;
    typename generated::row leaves;
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      ((leaves.leaf[i] = code::template at<elementwise::found.leaves[i]>(r)), ...);
    }
    (std::make_index_sequence<static_cast<std::size_t>(elementwise::found.leaf_count)>{});
    float* out = r.values + program::places[static_cast<std::size_t>(node_id)];
    // Local memory, and what else a row reads, has room for whole vectors behind the last value.
    for (size_t j = 0; j < static_cast<size_t>(count); j += width<arch>)
      generated::store(out + j, generated::result(leaves, j, typename generated::members{}));
  }
};

} // namespace fovea::simd
