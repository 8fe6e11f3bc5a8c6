// What a layer of a WaveNet may have, in networks that the program itself is not compiled for.

#include <play_amp/player.hpp>

#include "amp_formula.hpp"

#include <catch2/catch.hpp>

using namespace play_amp_program;

namespace {

constexpr layer_shape layer(nonlinearity primary, gate gating = gate::none, nonlinearity secondary = {}) {
  return {.taps = 2, .dilation = 3, .primary = primary, .gating = gating, .secondary = secondary};
}

constexpr nonlinearity leaky_hardtanh{activation::leaky_hardtanh, 0.1f, -0.05f, 0.02f, 0.2f};

/// Layers that pass on what they read, and a head of several taps that are apart.
inline constexpr wavenet_shape functions{
    .count = 1,
    .arrays = {{{.channels = 2,
                 .has_layer1x1 = false,
                 .head_taps = 3,
                 .head_dilation = 5,
                 .head_bias = true,
                 .count = 6,
                 .layers = {layer({activation::fast_tanh}), layer({activation::hardtanh}),
                            layer({activation::hardswish}), layer(leaky_hardtanh), layer({activation::prelu}),
                            layer({activation::sigmoid})}}}}};

/// Gates, and FiLM in some places: the second array's head adds to what the first gives, and
/// convolutions follow.
inline constexpr wavenet_shape gates{
    .count = 2,
    .arrays = {{{.channels = 4,
                 .bottleneck = 2,
                 .films = {film::none, film::none, film::scale_and_shift, film::none, film::scale, film::none,
                           film::scale_and_shift},
                 .head = 3,
                 .count = 2,
                 .layers = {layer({activation::tanh}, gate::gated, {activation::softsign}),
                            layer({activation::relu}, gate::blended, {activation::prelu})}},
                {.channels = 3,
                 .bottleneck = 4,
                 .head1x1 = 3,
                 .head = 2,
                 .count = 1,
                 .layers = {layer({activation::silu}, gate::blended, {activation::sigmoid})}}}},
    .post = {.count = 2, .taps = {3, 2}, .function = {activation::tanh}, .channels = 5}};

} // namespace

TEST_CASE("a WaveNet's layers have what the format knows", "[play_amp]") {
  check_amp(functions, compiled<functions>);
  check_amp(gates, compiled<gates>);
  check_amp(gates, compiled<gates>, {{.conv = 2, .layer1x1 = 2}, {}});
}
