// Streams of values whose positions are padded, cut and shifted, or several for each of the dim.

#include <catch2/catch.hpp>

#include "stream_rows_case.hpp"

using namespace fovea;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};
constexpr axis over_time = axis(1);

template <class M>
void check(const M& model, std::size_t length = 18) {
  check_stream<T>(model, {{"B", 2}, {"T", length}});
  check_rows<T>(model, {{"B", 3}, {"T", length}});
}

/// x so many positions later, after as many of one number.
constexpr expr later(expr x, int by, double first = 0) {
  return pad(slice(x, over_time, 0, -by), over_time, by, 0, first);
}

} // namespace

TEST_CASE("padding in front of windows streams", "[stream]") {
  check(model("padded",
              [](graph& g) {
                const expr x = g.input<f32>("x", {B, T, 5});
                g.output("valid", conv1d(pad(x, T, 4, 0), "a", 4, 3, {.dilation = 2}));
                g.output("ones", conv1d(pad(x, T, 2, 0, 1.0), "b", 4, 3));
                g.output("largest", max_pool(pad(x, T, 2, 0, 0.25), 3, {.stride = 1}));
                g.output("mean", avg_pool(relu(pad(x, T, 3, 0)), 4, {.stride = 1, .count_padding = false}));
                g.output("strided", conv1d(pad(x, T, 3, 0), "c", 4, 5, {.stride = 2}));
              }),
        36);
}

TEST_CASE("what windows give beyond the end is cut off", "[stream]") {
  check(model("cut",
              [](graph& g) {
                expr x = g.input<f32>("x", {B, T, 5});
                x = x + slice(relu(conv1d(x, "a", 5, 3, {.padding = 2})), over_time, 0, T);
                x = x + slice(conv1d(x, "b", 5, 3, {.dilation = 4, .padding = 8}), over_time, 0, T);
                g.output("y", x);
              }),
        70);
}

TEST_CASE("values of earlier positions stream", "[stream]") {
  check(model("earlier", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 6});
    const expr mixed = linear(x * 0.3 + later(x, 1) * 0.7, "mixed", 6);
    const expr y = mixed + linear(later(mixed, 3, 0.5), "apart", 6) - later(later(x, 1, 2), 2);
    g.output("y", y + attention(y, later(y, 1), tanh(later(x, 2)), {.heads = 2, .mask = causal}));
    g.output("state", gru(later(x, 1), "rnn", 4));
    g.output("window", conv1d(later(x, 2), "c", 4, 3, {.padding = causal}));
    g.output("alone", later(x, 5, -1));
    g.output("layers", repeat("h", 3, x, [](expr z) { return z + tanh(linear(later(z, 1), "l", 6)); }));
    g.output("carried", repeat("d", 3, x, [](expr z) { return later(z, 1); }));
    g.output("last", last(later(x, 2), T));
  }));
}

TEST_CASE("planes of time and frequency stream where they look back in time", "[stream]") {
  check(model("planes", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 7, 2});
    const expr h = relu(conv2d(pad(pad(x, T, 2, 0), axis(2), 1, 1), "a", 4, {3, 3}));
    g.output("strided", conv2d(pad(h, T, 1, 0), "b", 3, {2, 3}, {.stride = {1, 2}, .padding = {0, 1}}));
    g.output("cut", slice(conv2d(h, "c", 4, {3, 3}, {.padding = {2, 1}, .groups = 2}), over_time, 0, T));
    g.output("pooled", max_pool(pad(h, T, 1, 0), pool_window(2, 2), {.stride = {1, 2}}));
  }));
  check(model("frequency_first",
              [](graph& g) {
                const expr x = g.input<f32>("x", {B, 7, T, 2});
                const expr h = conv2d(pad(x, T, 2, 0), "a", 4, {3, 3}, {.padding = {1, 0}});
                g.output("h", h);
                g.output("halved", conv2d(h, "b", 3, {3, 3}, {.stride = {1, 2}, .padding = {1, 1}}));
                g.output("pooled", max_pool(pad(h, T, 2, 0), pool_window(2, 3), {.stride = {2, 1}}));
              }),
        36);
}

TEST_CASE("transposed convolutions stream where their end is cut off", "[stream]") {
  check(model("transposed",
              [](graph& g) {
                const expr x = g.input<f32>("x", {B, T, 5});
                const auto cut = [](expr y, int n) { return slice(y, over_time, 0, n * T); };
                g.output("overlapping", cut(conv_transpose1d(x, "a", 4, 4, {.stride = 2}), 2));
                g.output("wide", cut(tanh(conv_transpose1d(x, "b", 4, 7, {.stride = 3})), 3));
                g.output("dilated", cut(conv_transpose1d(x, "c", 4, 3, {.stride = 2, .dilation = 3}), 2));
                g.output("exact", conv_transpose1d(x, "d", 4, 3, {.stride = 3}));
                g.output("apart", conv_transpose1d(x, "e", 4, 2, {.stride = 3, .output_padding = 1}));
                g.output("still", cut(conv_transpose1d(x, "f", 10, 3, {.groups = 5}), 1));
                g.output("earlier",
                         cut(conv_transpose1d(pad(x, T, 1, 0), "g", 4, 4, {.stride = 2, .padding = 2}), 2));
              }),
        70);
}

TEST_CASE("several positions come of each", "[stream]") {
  static constexpr auto vocoder = model("vocoder", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 6});
    expr y = reshape(linear(x, "up", 12), {B, 3 * T, 4});
    y = y + conv1d(y, "a", 4, 5, {.dilation = 2, .padding = causal});
    y = slice(conv_transpose1d(tanh(y), "b", 6, 4, {.stride = 2}), over_time, 0, 6 * T);
    y = y + sinusoidal_positions(y) + rope(y, {.heads = 1}) + later(y, 2);
    y = y + attention(y, tanh(y), y, {.heads = 2, .mask = causal}) + attention(y, y, y, {.mask = window(8)});
    y = y + gru(y, "rnn", 6) + unsqueeze(to_float(range(x, 6 * T)) * 0.001, 1);
    g.output("y", y);
    g.output("held", reshape(broadcast(unsqueeze(x, 2), {B, T, 3, 6}), {B, 3 * T, 6}));
  });
  static_assert(decltype(stream<T>(vocoder, std::declval<const model_weights&>()))::stride == 1);
  check(vocoder, 24);

  // Down and up again, and what went down beside it; a stream without end.
  static constexpr auto u_net = model("u_net", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 4});
    const expr down = relu(conv1d(x, "down", 8, 4, {.stride = 2, .padding = causal}));
    const expr deep = relu(conv1d(down, "deep", 8, 4, {.stride = 2, .padding = causal}));
    expr up = slice(conv_transpose1d(deep, "up", 8, 4, {.stride = 2}), over_time, 0, down.size(1)) + down;
    up = slice(conv_transpose1d(relu(up), "out", 4, 4, {.stride = 2}), over_time, 0, T) + x;
    g.output("y", up);
    g.output("grouped", reshape(reshape(up, {B, 2 * T, 2}), {B, T, 4}));
  });
  using stream_type = decltype(stream<T>(u_net, std::declval<const model_weights&>()));
  static_assert(stream_type::stride == 4 && !stream_type::counts_positions);
  check(u_net, 18 * 4);
}
