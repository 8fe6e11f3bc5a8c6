#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <fovea/backends/simd/chain.hpp>
#include <fovea/backends/simd/generated.hpp>
#include <fovea/backends/simd/kernels/by_lane.hpp>
#include <fovea/backends/simd/kernels/epilogue.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/dsl/plan/plan.hpp>
#include <fovea/weights/weight_format.hpp>

namespace fovea::core::simd {

/// What functions over one batch row have in common: small scans (scan_code.hpp) and single positions of
/// small streams (position_code.hpp). Every size is a constant, every value of the row lies in local memory,
/// weights are packed for the set that the function is compiled for.

inline constexpr int largest_row = 1024; // features of a value of a row

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

/// How many rows of features a product reads: the taps of a convolution that moves along one axis, each
/// `dilation` rows behind the next.
constexpr int taps_of_product(const graph_view& g, int id) {
  return is_convolution(g.at(id).kind) ? static_cast<int>(g.window_of(id).taps()) : 1;
}

namespace detail {

/// Floats of the vectors that a row of `count` values is computed in: halves of a vector that was just stored
/// can be read at once, pieces of two can't, so rows that do not fill AVX-512's vectors are taken in narrower
/// ones.
template <class Arch>
constexpr size_t row_lanes(int count) {
  return width<Arch> == 16 && count % 16 != 0 && count <= 128 ? 8 : width<Arch>;
}

/// The set with these vectors.
template <class Arch, int count>
using row_arch = std::conditional_t<(row_lanes<Arch>(count) < width<Arch>), narrower<Arch>, Arch>;

} // namespace detail

/// The steps that make values, for a `program` that lists its products and vectors (`found.weights`,
/// `found.vectors`) and has a place for each result (`places`); `code::at<id>(row)` is where a value lies and
/// `code::weights_of<id>(row)` where the packed weights of a product begin.
template <class program, class Arch, class code>
struct row_steps {
  static constexpr const graph_view& g = program::g;
  static constexpr const auto& schedule = program::schedule;

  /// The columns that a product's vectors are chosen by: as soon as whole ones are fewer by enough, they are
  /// worth the wait of what then reads its pieces.
  static constexpr int product_row(int count) {
    return count > 32 || count == 24 ? padded_row(count) : count;
  }
  /// The set that computes a product, and how it lies: in blocks of vectors of outputs, each [depth,
  /// columns]. One output alone is the sum of a row of products instead.
  template <int weighted>
  using arch_of = detail::row_arch<Arch, product_row(program::width_of(weighted))>;
  static constexpr int lanes_of(int weighted) {
    return static_cast<int>(detail::row_lanes<Arch>(product_row(program::width_of(weighted))));
  }
  static constexpr bool is_single(int weighted) {
    return program::width_of(weighted) == 1 && depth_of(weighted) == features_of(weighted);
  }
  static constexpr int whole_vectors(int count, int lanes) { return (count + lanes - 1) / lanes * lanes; }
  static constexpr int columns_of(int weighted) {
    return whole_vectors(program::width_of(weighted), lanes_of(weighted));
  }
  /// Whether a product takes what it reads as vectors, not number by number: few features that fill them, as
  /// hidden states do. What was made in registers then reaches every lane in one operation, or two. From
  /// memory a number reaches all lanes as it is loaded.
  static constexpr bool reads_vectors(int weighted) {
    const int depth = depth_of(weighted);
    return !is_single(weighted) && depth == features_of(weighted) && depth % lanes_of(weighted) == 0 &&
           depth <= 16 && !program::was_stored(g.operand(weighted, 0));
  }
  /// The feature that row k of such a panel has at a column. Of a vector of them, each group of four lanes
  /// has the first, second, third and last number of the group that is `turn` groups away in all its lanes.
  static constexpr int feature_at(int k, int column, int lanes) {
    const int turn = k % lanes / 4, group = column % lanes / 4;
    return k / lanes * lanes + (group ^ turn) * 4 + k % 4;
  }
  /// Features of one row that a product reads.
  static constexpr int features_of(int weighted) {
    return static_cast<int>(g.number(g.at(g.operand(weighted, 0)).shape[-1]));
  }
  static constexpr int depth_of(int weighted) { return features_of(weighted) * taps_of_product(g, weighted); }

  /// Whether the first-level cache does not hold a product's weights with all else.
  static constexpr bool is_large(int weighted) { return columns_of(weighted) * depth_of(weighted) > 8192; }
  /// Columns of a block but the last: vectors whose sums fit the registers. Of few vectors there are two
  /// blocks, so that what reads the first begins while the second is multiplied; of large products blocks are
  /// small, since the cache keeps one whole or not at all.
  static constexpr int block_columns(int weighted) {
    const int lanes = lanes_of(weighted), columns = columns_of(weighted), vectors = columns / lanes;
    if (lanes == 16 && vectors >= 3 && vectors <= 6) return vectors * 2 / 3 * lanes;
    const int most = lanes == 16 ? (is_large(weighted) ? 64 : 256) : lanes == 8 ? 80 : 32;
    return columns < most ? columns : most;
  }

  // Packed parameters: of each product the bias and the panels, one after another for its layers; then the
  // vectors. Each begins with a line, whatever vectors the one before it is taken in.
  static constexpr int weight_floats(int weighted) {
    return padded_row(columns_of(weighted) * (1 + depth_of(weighted)));
  }
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
      const int lanes = lanes_of(id), most = block_columns(id), all = columns_of(id);
      for (int layer = 0; layer < program::layers_of(id); ++layer, ++from) {
        float* bias = to + weight_place(i) + layer * weight_floats(id);
        for (int c = 0; c < columns; ++c) {
          if (from->bias != nullptr) bias[c] = from->bias[c];
          const int block = c / most * most, across = all - block < most ? all - block : most;
          for (int k = 0; k < depth; ++k) {
            const int feature = reads_vectors(id) ? feature_at(k, c, lanes) : k;
            bias[all + (is_single(id) ? k : block * depth + k * across + c - block)] =
                from->values[from->from_columns ? feature * columns + c : c * depth + feature];
          }
        }
      }
    }
    for (int i = 0; i < program::found.vectors.count; ++i) {
      const int count = program::vector_floats(program::found.vectors.nodes[i]);
      for (int layer = 0; layer < program::layers_of(program::found.vectors.nodes[i]); ++layer, ++from)
        for (int c = 0; c < count; ++c) to[vector_place(i) + layer * padded_row(count) + c] = from->values[c];
    }
  }

  // The sums of a block of vectors, in registers: plain functions over constant indices, since g++ 12 keeps
  // arrays that pass through lambdas in memory at -O2.

  template <class A, size_t... i>
  [[gnu::always_inline]] static void begin_sums(vec<A>* sums, const float* from, std::index_sequence<i...>) {
    ((sums[i] = vec<A>::load_aligned(from + i * simd::width<A>)), ...);
  }
  template <class A, size_t... i>
  [[gnu::always_inline]] static void clear_sums(vec<A>* sums, std::index_sequence<i...>) {
    ((sums[i] = vec<A>(0.f)), ...);
  }
  template <class A, size_t... i>
  [[gnu::always_inline]] static void add_row(vec<A>* sums, float x, const float* w,
                                             std::index_sequence<i...>) {
    const vec<A> all(x);
    ((sums[i] = A::fma(all, vec<A>::load_aligned(w + i * simd::width<A>), sums[i])), ...);
  }
  /// Row k of a panel of a product that reads vectors.
  template <class A, size_t k, size_t... lane>
  [[gnu::always_inline]] static vec<A> features_of_row(const float* x, std::index_sequence<lane...>) {
    constexpr size_t lanes = simd::width<A>, turn = k % lanes / 4;
    const auto all =
        static_cast<typename vec<A>::register_type>(vec<A>::load_unaligned(x + k / lanes * lanes));
    const auto turned = __builtin_shufflevector(all, all, static_cast<int>(lane ^ turn * 4)...);
    return vec<A>(__builtin_shufflevector(turned, turned, static_cast<int>(lane / 4 * 4 + k % 4)...));
  }
  template <class A, size_t... i>
  [[gnu::always_inline]] static void add_row(vec<A>* sums, const vec<A>& x, const float* w,
                                             std::index_sequence<i...>) {
    ((sums[i] = A::fma(x, vec<A>::load_aligned(w + i * simd::width<A>), sums[i])), ...);
  }
  template <class A, size_t k, size_t... i>
  [[gnu::always_inline]] static void add_row_of(vec<A>* sums, const float* x, const float* w,
                                                std::index_sequence<i...> all) {
    constexpr size_t lanes = simd::width<A>;
    if constexpr (multiplies_by_lane<A>) {
      const vec<A> some = vec<A>::load_unaligned(x + k / lanes * lanes);
      ((sums[i] = A::template fma_lane<k % lanes>(vec<A>::load_aligned(w + i * lanes), some, sums[i])), ...);
    } else {
      add_row<A>(sums, features_of_row<A, k>(x, std::make_index_sequence<lanes>{}), w, all);
    }
  }
  /// Rows first, first + apart, ... of such a panel.
  template <class A, size_t vectors, size_t first, size_t apart, size_t... i>
  [[gnu::always_inline]] static void add_rows(vec<A>* sums, const float* x, const float* w,
                                              std::index_sequence<i...>) {
    (add_row_of<A, first + i * apart>(sums, x, w + (first + i * apart) * vectors * simd::width<A>,
                                      std::make_index_sequence<vectors>{}),
     ...);
  }
  /// The first `count` of its rows, in turn to `together` sums.
  template <class A, size_t vectors, size_t together, size_t count>
  [[gnu::always_inline]] static void add_rows(vec<A>* sums, vec<A>* second, vec<A>* third, vec<A>* fourth,
                                              const float* x, const float* w) {
    constexpr auto rows = std::make_index_sequence<count / together>{};
    add_rows<A, vectors, 0, together>(sums, x, w, rows);
    if constexpr (together >= 2) add_rows<A, vectors, 1, together>(second, x, w, rows);
    if constexpr (together == 4) {
      add_rows<A, vectors, 2, together>(third, x, w, rows);
      add_rows<A, vectors, 3, together>(fourth, x, w, rows);
    }
  }
  template <class A, size_t... i>
  [[gnu::always_inline]] static void join_sums(vec<A>* sums, const vec<A>* more, std::index_sequence<i...>) {
    ((sums[i] = sums[i] + more[i]), ...);
  }
  /// With the activation and the join of the group whose root is given.
  template <class A, int root>
  [[gnu::always_inline]] static vec<A> finished(const vec<A>& sum, const float* other) {
    const vec<A> y = detail::activated<A, schedule.groups.activation[root]>(sum);
    constexpr op join = schedule.groups.join[root];
    if constexpr (join == op::add)
      return y + vec<A>::load_unaligned(other);
    else if constexpr (join == op::multiply)
      return y * vec<A>::load_unaligned(other);
    else
      return y;
  }
  template <class A, int root, size_t... i>
  [[gnu::always_inline]] static void store_sums(const vec<A>* sums, const float* other, float* to,
                                                std::index_sequence<i...>) {
    (finished<A, root>(sums[i], other + i * simd::width<A>).store_aligned(to + i * simd::width<A>), ...);
  }

  /// to = bias + the sum over `pieces` rows of `features`, `apart` floats from each other, of x W, for a
  /// block of vectors; several partial sums where few vectors leave additions waiting.
  template <class A, int root, int features, int pieces, size_t vectors>
  [[gnu::always_inline]] static void multiply_block(const float* x, size_t apart, const float* bias,
                                                    const float* w, const float* other, float* to) {
    constexpr size_t together = vectors >= 6 || features < 4 ? 1
                                : vectors >= 4               ? 2
                                                             : 4,
                     row = vectors * simd::width<A>;
    constexpr auto all = std::make_index_sequence<vectors>{};
    vec<A> sums[vectors], second[vectors], third[vectors], fourth[vectors];
    begin_sums<A>(sums, bias, all);
    if constexpr (together >= 2) clear_sums<A>(second, all);
    if constexpr (together == 4) clear_sums<A>(third, all), clear_sums<A>(fourth, all);
    if constexpr (reads_vectors(schedule.groups.product[root]))
      add_rows<A, vectors, together, static_cast<size_t>(features)>(sums, second, third, fourth, x, w);
    else
      for (int piece = 0; piece < pieces; ++piece, x += apart) {
        size_t k = 0;
        if constexpr (multiplies_by_lane<A>)
          for (constexpr size_t lanes = simd::width<A>; k + lanes <= static_cast<size_t>(features);
               k += lanes, w += lanes * row)
            add_rows<A, vectors, together, lanes>(sums, second, third, fourth, x + k, w);
        for (; k + together <= static_cast<size_t>(features); k += together, w += together * row) {
          add_row<A>(sums, x[k], w, all);
          if constexpr (together >= 2) add_row<A>(second, x[k + 1], w + row, all);
          if constexpr (together == 4) {
            add_row<A>(third, x[k + 2], w + 2 * row, all);
            add_row<A>(fourth, x[k + 3], w + 3 * row, all);
          }
        }
        for (; k < static_cast<size_t>(features); ++k, w += row) add_row<A>(sums, x[k], w, all);
      }
    if constexpr (together >= 2) join_sums<A>(sums, second, all);
    if constexpr (together == 4) join_sums<A>(third, fourth, all), join_sums<A>(sums, third, all);
    store_sums<A, root>(sums, other, to, all);
  }
  /// Block after block. A large product's are taken from the end where `backward`, which holds every other
  /// time: what the cache holds of its weights is what was read last.
  template <class A, int root, int features, int pieces, int columns>
  [[gnu::always_inline]] static void multiply(const float* x, size_t apart, const float* bias,
                                              const float* other, float* to, bool backward) {
    constexpr int id = schedule.groups.product[root], most = block_columns(id), blocks = columns / most,
                  rest = columns % most;
    const auto block = [&](int first, auto count) __attribute__((always_inline)) {
      multiply_block<A, root, features, pieces, static_cast<size_t>(count()) / simd::width<A>>(
          x, apart, bias + first, bias + columns + first * features * pieces, other + first, to + first);
    };
    if constexpr (is_large(id))
      for (int i = 0; i < blocks; ++i)
        block((backward ? blocks - 1 - i : i) * most, std::integral_constant<int, most>{});
    else
      detail::for_constants<static_cast<size_t>(blocks)>([&](auto i) __attribute__((always_inline)) {
        block(static_cast<int>(i()) * most, std::integral_constant<int, most>{});
      });
    if constexpr (rest > 0) block(blocks * most, std::integral_constant<int, rest>{});
  }
  /// The same for one output.
  template <class A, int root, int features>
  [[gnu::always_inline]] static void multiply_single(const float* x, const float* bias, const float* other,
                                                     float* to) {
    constexpr size_t lanes = simd::width<A>, whole = static_cast<size_t>(features) / lanes * lanes;
    const float* w = bias + lanes;
    vec<A> sum(0.f);
    for (size_t k = 0; k < whole; k += lanes)
      sum = A::fma(vec<A>::load_unaligned(x + k), vec<A>::load_aligned(w + k), sum);
    if constexpr (whole < static_cast<size_t>(features))
      sum = A::fma(A::load_first(x + whole, static_cast<size_t>(features) - whole),
                   vec<A>::load_aligned(w + whole), sum);
    finished<A, root>(vec<A>(*bias + reduce_add<A>(sum)), other).store_aligned(to);
  }

  /// The product whose group has the given root, with its epilogue.
  template <int root, class row>
  [[gnu::always_inline]] static void run_product(row& r) {
    constexpr int id = schedule.groups.product[root], columns = columns_of(id);
    using A = arch_of<id>;
    const float* x = code::template at<g.operand(id, 0)>(r);
    const float* weights = code::template weights_of<id>(r);
    float* to = code::template place<root>(r);
    const float* other = to;
    if constexpr (schedule.groups.join[root] != op::none)
      other = code::template at<schedule.groups.other[root]>(r);
    constexpr int features = features_of(id), taps = taps_of_product(g, id);
    if constexpr (is_single(id))
      multiply_single<A, root, features>(x, weights, other, to);
    else if constexpr (taps == 1 || g.window_of(id).dilation[1] == 1)
      multiply<A, root, features * taps, 1, columns>(x, 0, weights, other, to, code::backward(r));
    else
      multiply<A, root, features, taps, columns>(x,
                                                 static_cast<size_t>(g.window_of(id).dilation[1] * features),
                                                 weights, other, to, code::backward(r));
  }

  /// The elementwise chain that ends in a node.
  template <int node_id, class row>
  [[gnu::always_inline]] static void run_elementwise(row& r) {
    using elementwise = chain<typename program::model, node_id>;
    constexpr int count = program::width_of(node_id);
    using arch = detail::row_arch<Arch, count>;
    using generated = typename elementwise::template code<arch>;
    typename generated::row leaves;
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      ((leaves.leaf[i] = code::template at<elementwise::leaf(i)>(r)), ...);
    }
    (std::make_index_sequence<elementwise::leaf_count>{});
    float* out = code::template place<node_id>(r);
    // Local memory, and what else a row reads, has room for whole vectors behind the last value.
    for (size_t j = 0; j < static_cast<size_t>(count); j += width<arch>)
      generated::store(out + j, generated::result(leaves, j, typename generated::members{}));
  }
};

} // namespace fovea::core::simd
