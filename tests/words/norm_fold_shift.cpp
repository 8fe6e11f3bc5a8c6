// instance_norm, relative_shift, and weights that a checkpoint keeps as directions and gains.

#include "../training/gradient_case.hpp"

#include <array>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

/// A convolution of window 3 by a weight [out, in, 3] that is no parameter, place by place of the window.
constexpr expr convolved(expr x, expr weight) {
  const expr padded = pad(x, axis(1), 1, 1);
  expr y = zeros(x, {2, 9, 4});
  for (int k = 0; k < 3; ++k)
    y = y + matmul(slice(padded, axis(1), k, k + 9),
                   transpose(reshape(slice(weight, axis(2), k, k + 1), {4, 6})));
  return y;
}

constexpr auto of_pytorch = model("of_pytorch", [](graph& g) {
  const expr signal = transpose(g.input<f32>("signal", {2, 6, 9})),
             image = permute(g.input<f32>("image", {2, 6, 5, 4}), {0, 2, 3, 1});
  // Two norms of one weight and bias.
  const expr weight = parameter(signal, "weight", {6}), bias = parameter(signal, "bias", {6});
  const auto normed = [&](expr x) { return instance_norm(x, "none", {.affine = false}) * weight + bias; };
  g.output("instance_norm_signal", transpose(normed(signal)));
  g.output("instance_norm_image", permute(normed(image), {0, 3, 1, 2}));
  g.output("relative_shift", relative_shift(g.input<f32>("scores", {2, 2, 5, 9})));

  const expr v0 = parameter(signal, "v_dim0", {4, 6, 3}), g0 = parameter(signal, "g_dim0", {4, 1, 1}),
             v2 = parameter(signal, "v_dim2", {4, 6, 3}), g2 = parameter(signal, "g_dim2", {1, 1, 3});
  const auto over = [](expr v, int a, int b) {
    return sqrt(sum(sum(v * v, axis(a), {.keep = true}), axis(b), {.keep = true}));
  };
  const expr w0 = v0 * (g0 / over(v0, 1, 2)), w2 = v2 * (g2 / over(v2, 0, 1));
  g.output("weight_dim0", w0);
  g.output("weight_dim2", w2);
  g.output("y_dim0", transpose(convolved(signal, w0)));
  g.output("y_dim2", transpose(convolved(signal, w2)));
});

/// The norm with parameters of its own, as a checkpoint has them.
constexpr auto affine_names = std::to_array<name_rule>({{"norm.weight", "weight"},
                                                        {"norm.bias", "bias"},
                                                        {"", "v_dim*", naming::ignored},
                                                        {"", "g_dim*", naming::ignored}});
constexpr auto affine = model(
    "affine",
    [](graph& g) {
      const expr signal = transpose(g.input<f32>("signal", {2, 6, 9}));
      g.output("instance_norm_signal", transpose(instance_norm(signal, "norm")));
    },
    affine_names);

constexpr auto folded_names = std::to_array<name_rule>(
    {{"rows.weight", "rows.weight_v", naming::weight_normed},
     {"places.weight", "places.parametrizations.weight.original1", naming::weight_normed}});
constexpr auto folded = model(
    "folded",
    [](graph& g) {
      const expr signal = transpose(g.input<f32>("signal", {2, 6, 9}));
      g.output("y_dim0", transpose(conv1d(signal, "rows", 4, 3, {.padding = same, .bias = false})));
      g.output("y_dim2", transpose(conv1d(signal, "places", 4, 3, {.padding = same, .bias = false})));
    },
    folded_names);

constexpr auto words = model("words", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 5}), y = g.input<f32>("y", {B, S, 5});
  g.output("normed", instance_norm(x, "norm", {.epsilon = 1e-3}));
  const expr planes = reshape(tanh(linear(x, "h", 12)), {B, T, 3, 4});
  g.output("planes", instance_norm(planes, "planes", {.affine = false}));
  const expr distances = concat(axis(1), x, y);
  g.output("by_key", relative_shift(matmul(x, transpose(slice(distances, axis(1), 0, T + S - 1)))));
});

} // namespace

TEST_CASE("instance_norm, relative_shift and a normalised weight agree with PyTorch", "[words]") {
  const golden_case c("norm_fold_shift", std::filesystem::path(golden_folder) / "today");
  check_case(of_pytorch, c, weights_of(c), inputs_of(c));
  check_outputs(affine, c, weights_of(c), inputs_of(c));
}

TEST_CASE("a weight is made of the direction and the gain of a checkpoint", "[words]") {
  const golden_case c("norm_fold_shift", std::filesystem::path(golden_folder) / "today");
  auto parameters = parameters_of(c);
  check_outputs(folded, c,
                model_weights::from({{"rows.weight_v", parameters.at("v_dim0")},
                                     {"rows.weight_g", parameters.at("g_dim0")},
                                     {"places.parametrizations.weight.original1", parameters.at("v_dim2")},
                                     {"places.parametrizations.weight.original0", parameters.at("g_dim2")}}),
                inputs_of(c));
}

TEST_CASE("instance_norm and relative_shift against the reference, and their gradients", "[words]") {
  compare_at_awkward_sizes(words);
  check_gradients_of(words);
}

TEST_CASE("relative_shift finds each key by its distance", "[words]") {
  constexpr auto shifted = model("shifted", [](graph& g) {
    g.output("y", relative_shift(g.input<f32>("x", {T, S})));
  });
  for (const std::size_t queries : {1u, 2u, 5u})
    for (const std::size_t keys : {1u, 3u, 8u}) {
      const golden_tensor x = values_of({queries, queries + keys - 1}, false, "x");
      on_both_backends([&](auto backend) {
        const golden_tensor y =
            run_model<decltype(backend)>(shifted, model_weights::from({}), {{"x", x}}).at("y");
        REQUIRE(y.shape == std::vector<std::size_t>{queries, keys});
        for (std::size_t t = 0; t < queries; ++t)
          for (std::size_t s = 0; s < keys; ++s)
            CHECK(y.values[t * keys + s] == x.values[t * x.shape[1] + s + queries - 1 - t]);
      });
    }
}
