#include <fovea/backends/simd/prepared_weights.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>

#include <fovea/backends/simd/winograd_filters.hpp>

namespace fovea::core::simd {

window_phase phase_of(const sliding_window& w, int axis, bool transposed, int remainder) {
  const int size = w.size[axis], stride = w.stride[axis], dilation = w.dilation[axis],
            before = w.before[axis];
  if (!transposed) return {static_cast<size_t>(size), stride, -before, dilation, 0, 1};
  const int cycle = stride / std::gcd(stride, dilation); // taps that share a remainder are this far apart
  int tap = 0;
  while (tap < cycle && (remainder + before - tap * dilation) % stride != 0) ++tap;
  const int taps = tap == cycle || tap >= size ? 0 : (size - tap + cycle - 1) / cycle;
  return {static_cast<size_t>(taps),
          1,
          (remainder + before - tap * dilation) / stride,
          -(cycle * dilation / stride),
          static_cast<size_t>(tap),
          static_cast<size_t>(cycle)};
}

namespace {

/// The layer of a parameter that a node sees in its own layer, both counted through all repeats around them.
std::int64_t layer_seen(const graph_view& g, int id, std::int64_t layer, int parameter) {
  for (int r = g.at(id).region; r != g.at(parameter).region; r = g.region(r).parent)
    layer /= g.region(r).count;
  return layer;
}

bool is_in_format(const graph_view& graph, const model_parameters& parameters, int weight) {
  if (weight < 0 || graph.at(weight).kind != op::parameter) return false;
  const int p = graph.at(weight).settings.entry.index;
  return parameters.format(static_cast<std::size_t>(parameters.first(p))) != weight_format::f32;
}

/// Whether a product's weights are prepared for it alone.
bool is_prepared(const graph_view& graph, const plan_view& plan, const model_parameters& parameters, int id) {
  if (plan.norm[id] >= 0) return true;
  return is_convolution(graph.at(id).kind) && !is_pointwise(graph, id) &&
         !is_in_format(graph, parameters, fixed_weight(graph, id));
}

/// What one product of one layer is prepared from; null where it has no such part.
struct sources {
  const float *weight = nullptr, *bias = nullptr;
  const float *norm_weight = nullptr, *norm_bias = nullptr, *mean = nullptr, *variance = nullptr;
  double epsilon = 0;

  /// What a norm multiplies column o by.
  double scale(size_t o) const {
    return variance == nullptr
               ? 1
               : static_cast<double>(norm_weight[o]) / std::sqrt(static_cast<double>(variance[o]) + epsilon);
  }
  double shift(size_t o) const {
    const double b = bias == nullptr ? 0 : static_cast<double>(bias[o]);
    return variance == nullptr
               ? b
               : (b - static_cast<double>(mean[o])) * scale(o) + static_cast<double>(norm_bias[o]);
  }
};

/// The parts of product `id` in its layer; `key` gets what names them.
sources sources_of(const graph_view& graph, const plan_view& plan, const model_parameters& parameters, int id,
                   std::int64_t layer, std::string& key) {
  const auto values = [&](int node, int operand) -> const float* {
    if (operand >= graph.at(node).operand_count) return nullptr;
    const int from = operand == 1 && node == id ? fixed_weight(graph, id) : graph.operand(node, operand);
    if (graph.at(from).kind != op::parameter) return nullptr;
    const int p = graph.at(from).settings.entry.index;
    const std::int64_t seen = layer_seen(graph, id, layer, from);
    key += " " + parameters.key(p, seen);
    return parameters.floats(static_cast<std::size_t>(parameters.first(p) + seen));
  };
  sources from{.weight = values(id, 1), .bias = values(id, 2)};
  if (const int norm = plan.norm[id]; norm >= 0) {
    from.norm_weight = values(norm, 1), from.norm_bias = values(norm, 2);
    from.mean = values(norm, 3), from.variance = values(norm, 4);
    from.epsilon = graph.at(norm).settings.norm.epsilon;
    key += " epsilon " + std::to_string(std::bit_cast<std::uint64_t>(from.epsilon)); // every digit
  }
  return from;
}

/// One group of one phase: to[out, taps, in], scaled.
void arrange(const weight_layout& l, const sources& from, const window_phase& y, const window_phase& x,
             size_t group, std::vector<float>& to) {
  const auto width = static_cast<size_t>(l.window.size[1]), taps = static_cast<size_t>(l.window.taps());
  to.resize(l.out * y.taps * x.taps * l.in);
  float* next = to.data();
  for (size_t o = 0; o < l.out; ++o) {
    const auto scale = from.scale(group * l.out + o);
    for (size_t ky = 0; ky < y.taps; ++ky)
      for (size_t kx = 0; kx < x.taps; ++kx)
        for (size_t i = 0; i < l.in; ++i) {
          const size_t filter =
              l.transposed ? (group * l.in + i) * l.out + o : (group * l.out + o) * l.in + i;
          const size_t tap = (y.first_tap + ky * y.tap_stride) * width + x.first_tap + kx * x.tap_stride;
          *next++ = static_cast<float>(scale * static_cast<double>(from.weight[filter * taps + tap]));
        }
  }
}

/// Packs weights[columns, depth] to `panels`.
void pack_panels(const float* weights, size_t columns, size_t depth, float* panels,
                 const kernel_table& kernels, thread_pool& pool) {
  const pack_args pack{.b = weights,
                       .columns = columns,
                       .depth = depth,
                       .column_stride = depth,
                       .depth_stride = 1,
                       .panels = panels};
  pool.run(kernels.pack->tasks(pack),
           [&](size_t first, size_t last, size_t) { kernels.pack->run(pack, first, last); });
}

packed prepared(const weight_layout& l, const sources& from, const kernel_table& kernels, thread_pool& pool) {
  const int phases_y = phases_of(l.window, 0, l.transposed), phases_x = phases_of(l.window, 1, l.transposed);
  const auto taps_of = [&](int ry, int rx) {
    return phase_of(l.window, 0, l.transposed, ry).taps * phase_of(l.window, 1, l.transposed, rx).taps;
  };
  const size_t features = l.groups * l.out, bias_floats = (features + 15) / 16 * 16,
               panel = kernels.set.panel;
  size_t total = bias_floats;
  for (int ry = 0; ry < phases_y; ++ry)
    for (int rx = 0; rx < phases_x; ++rx) total += l.phase_floats(taps_of(ry, rx), panel);
  packed made(total);
  for (size_t o = 0; o < features; ++o) made.data()[o] = static_cast<float>(from.shift(o));

  std::vector<float> arranged;
  float* next = made.data() + bias_floats;
  for (int ry = 0; ry < phases_y; ++ry)
    for (int rx = 0; rx < phases_x; ++rx) {
      const window_phase y = phase_of(l.window, 0, l.transposed, ry),
                         x = phase_of(l.window, 1, l.transposed, rx);
      const size_t taps = y.taps * x.taps, depth = taps * l.in;
      for (size_t group = 0; group < l.groups; ++group) {
        arrange(l, from, y, x, group, arranged);
        if (l.depthwise()) {
          for (size_t tap = 0; tap < taps; ++tap) next[tap * l.groups + group] = arranged[tap];
        } else if (l.by_tiles) {
          const size_t of_tile = l.tile_features();
          const std::vector<float> tiles =
              l.window.axes == 1 ? winograd_time_filters(arranged, l.out, l.in, taps)
                                 : winograd_filters(arranged, l.out, l.in, y.taps,
                                                    static_cast<size_t>(l.window.stride[0]), y.tap_step < 0);
          for (size_t product = 0; product < l.products(); ++product)
            pack_panels(tiles.data() + product * l.out * of_tile, l.out, of_tile,
                        next + product * panel_floats(panel, l.out, of_tile), kernels, pool);
        } else {
          pack_panels(arranged.data(), l.out, depth, next + group * panel_floats(panel, l.out, depth),
                      kernels, pool);
        }
      }
      next += l.phase_floats(taps, panel);
    }
  return made;
}

/// Everything about a window that its prepared weights depend on.
std::string window_key(const weight_layout& l) {
  std::string key = l.transposed ? " transposed" : "";
  for (int axis : {0, 1})
    for (int number : {l.window.stride[axis], l.window.dilation[axis], l.window.before[axis]})
      key += " " + std::to_string(l.transposed ? number : 0);
  return key + " groups " + std::to_string(l.groups) +
         (l.by_tiles ? " by tiles of " + std::to_string(l.window.stride[0]) : "");
}

} // namespace

void prepared_weights::prepare(const graph_view& graph, const plan_view& plan,
                               const model_parameters& parameters, const kernel_table& kernels,
                               thread_pool& pool) {
  first_.assign(graph.nodes.size(), -1);
  products_.clear();
  kept_.clear(); // before their keys are asked for again
  for (int id = 0; id < graph.node_count(); ++id) {
    if (!plan.live[id] || !is_prepared(graph, plan, parameters, id)) continue;
    const weight_layout layout(graph, id);
    first_[static_cast<std::size_t>(id)] = static_cast<std::int32_t>(products_.size());
    for (std::int64_t layer = 0; layer < graph.layers(id); ++layer) {
      std::string key = "prepared";
      const sources from = sources_of(graph, plan, parameters, id, layer, key);
      key += window_key(layout) + " " + kernels.set.name;
      kept_.push_back(
          parameters.source().packed_copy(key, [&] { return prepared(layout, from, kernels, pool); }));
      const float* data = kept_.back()->data();
      products_.push_back({data, data + (layout.groups * layout.out + 15) / 16 * 16});
    }
  }
}

row_parameters::row_parameters(const graph_view& graph, const plan_view& plan,
                               const model_parameters& parameters, const row_nodes& nodes,
                               std::int64_t layer) {
  const auto for_layers = [&](int id, const auto& f) {
    const std::int64_t layers = layer == all_layers ? graph.layers(id) : 1;
    for (std::int64_t i = 0; i < layers; ++i) f(layer == all_layers ? i : layer);
  };
  for (const int id : nodes.products)
    for_layers(id, [&](std::int64_t of) {
      std::string key;
      const sources from = sources_of(graph, plan, parameters, id, of, key);
      if (!is_prepared(graph, plan, parameters, id)) {
        list_.push_back({from.weight, from.bias, is_from_columns(graph, id)});
        return;
      }
      const weight_layout layout(graph, id);
      std::vector<float> weights, bias;
      arrange(layout, from, phase_of(layout.window, 0, false, 0), phase_of(layout.window, 1, false, 0), 0,
              weights);
      for (size_t o = 0; o < layout.out; ++o) bias.push_back(static_cast<float>(from.shift(o)));
      list_.push_back({weights.data(), bias.data(), false});
      arranged_.push_back(std::move(weights));
      arranged_.push_back(std::move(bias));
    });
  for (const int id : nodes.vectors)
    for_layers(id, [&](std::int64_t of) {
      const std::int64_t seen = layer == all_layers ? of : layer_seen(graph, nodes.within, of, id);
      const std::int32_t first = parameters.first(graph.at(id).settings.entry.index);
      list_.push_back({parameters.floats(static_cast<std::size_t>(first + seen))});
    });
}

} // namespace fovea::core::simd
