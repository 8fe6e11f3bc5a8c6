#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <fovea/runtime/calls/keys.hpp>
#include <fovea/runtime/calls/lookup.hpp>
#include <fovea/runtime/calls/sizes.hpp>

namespace fovea::core::detail {

template <class E>
concept tensor_like = requires(const E& e) {
  e.shape();
  e.dimension();
  e.begin();
  typename E::value_type;
};

/// The rank of an xtensor expression where its type says so, else -1.
template <class E>
constexpr int rank_of() {
  if constexpr (tensor_like<E>) {
    using shape_type = std::decay_t<decltype(std::declval<const E&>().shape())>;
    if constexpr (requires { std::tuple_size<shape_type>::value; })
      return static_cast<int>(std::tuple_size<shape_type>::value);
  }
  return -1;
}
template <class E>
struct value_type_of {
  using type = void;
};
template <class E>
requires tensor_like<E>
struct value_type_of<E> {
  using type = typename E::value_type;
};

/// Whether what a call gives for an input fits it.
template <class model, fixed_name name, class E>
using checked_value = checked_argument<model, find_input<model, name>(), rank_of<E>(),
                                       std::is_arithmetic_v<typename value_type_of<E>::type>,
                                       std::is_integral_v<typename value_type_of<E>::type>>;

/// Writes what is given for input i. Throws fovea::error that names the input and the integer.
template <class E>
void fill_integers(const call_sizes& sizes, std::size_t i, std::int32_t* out, const E& value) {
  std::size_t n = 0;
  for (const auto x : value) {
    if (!std::in_range<std::int32_t>(x)) sizes.reject_integer(i, std::to_string(x));
    out[n++] = static_cast<std::int32_t>(x);
  }
  sizes.check_integers(i, {out, n});
}

/// The inputs of a call on their way into an engine.
template <class model>
class call_inputs {
public:
  static constexpr std::size_t count = model::view.inputs.size();

  /// Takes the sizes of the call from what is given. Throws fovea::error that names the input.
  template <fixed_name... names, class... values>
  void resolve(call_sizes& sizes, const binding<names, values>&... given) {
    (describe<names>(given.value), ...);
    std::array<std::span<const std::size_t>, count> shapes;
    for (std::size_t i = 0; i < count; ++i) shapes[i] = {shapes_[i].data(), ranks_[i]};
    sizes.resolve(shapes);
  }

  /// Whether what is given has the shapes of the call that was resolved last.
  template <fixed_name... names, class... values>
  bool same_shapes(const binding<names, values>&... given) const {
    return (is_shape<names>(given.value) && ...);
  }

  /// Whether what is given has the sizes that `row` knows.
  template <class row, fixed_name... names, class... values>
  static bool is_row(const binding<names, values>&... given) {
    return (has_sizes<row, names>(given.value) && ...);
  }

  /// Writes what is given where the engine reads it. Throws fovea::error that names the input and the
  /// integer.
  template <class engine, fixed_name... names, class... values>
  void fill(const call_sizes& sizes, engine&& to, const binding<names, values>&... given) const {
    (fill_one<names>(sizes, to, given.value), ...);
  }

  /// The same, but floats that lie side by side are read where they are, by the next call alone.
  template <class engine, fixed_name... names, class... values>
  void lend(const call_sizes& sizes, engine& to, const binding<names, values>&... given) const {
    (lend_one<names>(sizes, to, given.value), ...);
  }

private:
  template <fixed_name name, class E>
  bool is_shape(const E& value) const {
    constexpr auto i = static_cast<std::size_t>(find_input<model, name>());
    constexpr std::size_t rank = model::view.at(model::view.inputs[i].node).shape.rank;
    if (value.dimension() != rank) return false;
    for (std::size_t axis = 0; axis < rank; ++axis)
      if (static_cast<std::size_t>(value.shape()[axis]) != shapes_[i][axis]) return false;
    return true;
  }
  template <class row, fixed_name name, class E>
  static bool has_sizes(const E& value) {
    constexpr auto i = static_cast<std::size_t>(find_input<model, name>());
    constexpr std::size_t rank = model::view.at(model::view.inputs[i].node).shape.rank;
    return value.dimension() == rank&& [&]<std::size_t... axis>(std::index_sequence<axis...>) {
      return ((static_cast<std::size_t>(value.shape()[axis]) == row::template size<i, axis>)&&...);
    }
    (std::make_index_sequence<rank>{});
  }
  template <fixed_name name, class E>
  void describe(const E& value) {
    constexpr auto i = static_cast<std::size_t>(find_input<model, name>());
    ranks_[i] = value.dimension();
    for (std::size_t axis = 0; axis < ranks_[i] && axis < shape::max_rank; ++axis)
      shapes_[i][axis] = value.shape()[axis];
  }

  /// By all threads of an engine that has them, where the floats lie side by side and are many: one alone has
  /// no more than a part of the bandwidth, and the others would fall asleep meanwhile.
  template <class to_engine, class I>
  static void copy_floats(to_engine& to, I first, I last, float* out) {
    if constexpr (std::contiguous_iterator<I> && requires { to.pool(); }) {
      constexpr std::size_t part = 16 * 1024;
      const float* from = std::to_address(first);
      const auto floats = static_cast<std::size_t>(last - first);
      to.pool().run((floats + part - 1) / part, [=](std::size_t begin, std::size_t end, std::size_t) {
        std::copy(from + begin * part, from + std::min(end * part, floats), out + begin * part);
      });
    } else {
      std::copy(first, last, out);
    }
  }

  template <fixed_name name, class to_engine, class E>
  static void lend_one(const call_sizes& sizes, to_engine& to, const E& value) {
    constexpr auto i = static_cast<std::size_t>(find_input<model, name>());
    if constexpr (model::view.at(model::view.inputs[i].node).type == element::f32 &&
                  std::is_same_v<typename value_type_of<E>::type, float> &&
                  std::contiguous_iterator<decltype(value.begin())>) {
      const float* first = std::to_address(value.begin());
      if (to.template lend<i>({first, static_cast<std::size_t>(value.end() - value.begin())})) return;
    }
    fill_one<name>(sizes, to, value);
  }

  template <fixed_name name, class to_engine, class E>
  static void fill_one(const call_sizes& sizes, to_engine& to, const E& value) {
    using engine = std::remove_const_t<to_engine>;
    constexpr auto i = static_cast<std::size_t>(find_input<model, name>());
    constexpr int id = model::view.inputs[i].node;
    void* memory = to.input(i, sizes.sizes());
    if constexpr (model::view.at(id).type == element::f32) {
      auto* out = static_cast<float*>(memory);
      if constexpr (requires { engine::template row_width<i>; })
        // The row of a sample: a constant number of moves instead of a call.
        std::copy_n(value.begin(), engine::template row_width<i>, out);
      else if constexpr (std::is_same_v<typename value_type_of<E>::type, float>)
        copy_floats(to, value.begin(), value.end(), out);
      else
        for (const auto x : value) *out++ = static_cast<float>(x);
    } else {
      fill_integers(sizes, i, static_cast<std::int32_t*>(memory), value);
    }
  }

  std::array<std::array<std::size_t, shape::max_rank>, count> shapes_{};
  std::array<std::size_t, count> ranks_{};
};

} // namespace fovea::core::detail
