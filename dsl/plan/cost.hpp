#pragma once

#include <cstdint>

#include <fovea/dsl/plan/plan.hpp>

namespace fovea::core {

/// How many numbers a model's parameters hold, every layer counted; a shared parameter counts once.
constexpr std::int64_t count_parameters(const graph_view& g) {
  std::int64_t total = 0;
  for (const parameter_entry& p : g.parameters)
    total += extent_of(g, g.at(p.node).shape).factor * g.layers(p.node);
  return total;
}

namespace detail {

/// Looks sizes up in {{B, 8}, {T, 512}}. A symbol without a size is an error at compile time.
struct given_sizes {
  dim_sizes sizes;

  constexpr std::int64_t operator()(const char* symbol) const {
    for (const dim_size& s : sizes)
      if (s.symbol.is_symbol() && same_text(s.symbol.name(), symbol)) return s.size;
    impossible("a symbol of the model has no size in the list");
  }
};

template <class sizes>
constexpr std::int64_t elements(const shape& s, const sizes& size) {
  std::int64_t n = 1;
  for (int i = 0; i < s.rank; ++i) n *= size(s.dims[i]);
  return n;
}

/// Multiplications, each with an addition, of one node in one pass; size(d) gives the size of each dim.
template <class sizes>
constexpr std::int64_t multiply_adds(const graph_view& g, int id, const sizes& size) {
  const node& n = g.at(id);
  const auto shape_of = [&](int k) -> const shape& { return g.at(g.operand(id, k)).shape; };
  switch (operation_of(n.kind).costs) {
    case cost::inner:
      return elements(n.shape, size) * size(shape_of(0)[-1]);
    case cost::taps: {
      const sliding_window& w = g.window_of(id);
      const shape &one = is_transposed(n.kind) ? shape_of(0) : n.shape,
                  &other = is_transposed(n.kind) ? n.shape : shape_of(0);
      return elements(one, size) * w.taps() * (g.number(other[-1]) / w.groups);
    }
    case cost::fourier: {
      const shape& spectra = is_transposed(n.kind) ? shape_of(0) : n.shape;
      const std::int64_t points = g.number(shape_of(2)[0]) / 2;
      std::int64_t steps = 0;
      while (std::int64_t{1} << steps < points) ++steps;
      return elements(spectra, size) / g.number(spectra[-1]) * points * steps;
    }
    case cost::scores:
      return elements(shape_of(0), size) * size(shape_of(1)[-2]);
    case cost::attention:
      return (elements(shape_of(0), size) + elements(n.shape, size)) * size(shape_of(1)[-2]);
    default:
      return 0;
  }
}

/// How often a node's work is done in a call: in every layer and step.
template <class sizes>
constexpr std::int64_t passes(const graph_view& g, int id, const sizes& size) {
  std::int64_t n = g.layers(id);
  for (int r = g.at(id).region; r != 0; r = g.region(r).parent)
    if (g.region(r).is_scan()) n *= size(g.region(r).time);
  return n;
}

} // namespace detail

/// Floating-point operations of one node in a call, every layer and step counted; size_of(symbol) gives
/// sizes.
template <class sizes>
constexpr std::int64_t count_flops_of(const graph_view& g, int id, const sizes& size_of) {
  const auto size = [&](int d) { return g.size(d, size_of); };
  return 2 * detail::multiply_adds(g, id, size) * detail::passes(g, id, size);
}

/// Floating-point operations of the matrix products, convolutions and attentions (a multiplication and an
/// addition each count one), which is where the time goes; masks are not subtracted.
constexpr std::int64_t count_flops(const graph_view& g, dim_sizes sizes) {
  const detail::given_sizes size_of{sizes};
  std::int64_t total = 0;
  for (int id = 0; id < g.node_count(); ++id) total += count_flops_of(g, id, size_of);
  return total;
}

/// Bytes of a plan's slots, each rounded up to 64 and padded by one cache line. What each thread needs for
/// itself is small and comes on top.
template <std::size_t nodes, std::size_t regions, class sizes>
constexpr std::int64_t count_arena_bytes(const plan<nodes, regions>& p, const sizes& size_of_dim) {
  std::int64_t total = 0;
  for (int i = 0; i < p.slot_count; ++i)
    total += (p.slots[static_cast<std::size_t>(i)].evaluate(size_of_dim) * 4 + 127) / 64 * 64;
  return total;
}

} // namespace fovea::core
