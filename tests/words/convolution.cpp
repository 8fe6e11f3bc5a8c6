#include "../compare_backends.hpp"

using namespace fovea;
using namespace fovea::core::test;

// Convolution and pooling: the reference cases, whose channels come before time, and the kernels against the
// specification at sizes that fit neither vectors nor blocks.

namespace {

constexpr name_rule conv_names[] = {{"conv.weight", "weight"}, {"conv.bias", "bias"}};
constexpr name_rule norm_names[] = {{"norm.weight", "weight"},
                                    {"norm.bias", "bias"},
                                    {"norm.running_mean", "running_mean"},
                                    {"norm.running_var", "running_var"},
                                    {"", "num_batches_tracked", naming::ignored}};

template <int in, int out, int width, conv1d_options options>
void check_conv1d(const char* name) {
  constexpr auto declare = [](graph& g) {
    const expr x = permute(g.input<f32>("x", {"B", in, "T"}), {0, 2, 1});
    g.output("y", permute(conv1d(x, "conv", out, width, options), {0, 2, 1}));
  };
  check_case(model("conv1d", declare, conv_names), name);
}

template <int in, int out, int size, conv2d_options options>
void check_conv2d(const char* name) {
  constexpr auto declare = [](graph& g) {
    const expr x = permute(g.input<f32>("x", {"B", in, "H", "W"}), {0, 2, 3, 1});
    g.output("y", permute(conv2d(x, "conv", out, size, options), {0, 3, 1, 2}));
  };
  check_case(model("conv2d", declare, conv_names), name);
}

template <int stride>
constexpr auto strided_planes = model("strided_planes", [](graph& g) {
  const expr x = g.input<f32>("x", {"B", 24, 24, 16});
  g.output("y", conv2d(x, "conv", 16, 5, {.stride = stride, .padding = 2}));
});

} // namespace

TEST_CASE("conv1d agrees with the reference cases", "[convolution]") {
  check_conv1d<8, 8, 3, {}>("conv1d_plain");
  check_conv1d<8, 8, 3, {.padding = same}>("conv1d_same");
  check_conv1d<8, 8, 3, {.stride = 2, .padding = 1}>("conv1d_stride");
  check_conv1d<8, 8, 3, {.dilation = 3, .padding = 3}>("conv1d_dilated");
  check_conv1d<8, 8, 3, {.padding = 1, .groups = 4}>("conv1d_groups");
  check_conv1d<8, 8, 5, {.padding = 2, .groups = 8}>("conv1d_depthwise");
  check_conv1d<8, 8, 3, {.dilation = 2, .padding = causal}>("conv1d_causal");
  check_conv1d<8, 8, 1, {.bias = false}>("conv1d_width1");
  check_conv1d<64, 128, 3, {.padding = 1}>("conv1d_64_128");
}

TEST_CASE("conv2d agrees with the reference cases", "[convolution]") {
  check_conv2d<3, 8, 3, {.padding = 1}>("conv2d_3x3");
  check_conv2d<8, 16, 1, {.bias = false}>("conv2d_1x1");
  check_conv2d<4, 8, 3, {.stride = 2, .padding = 1}>("conv2d_stride");
}

TEST_CASE("pooling agrees with the reference case", "[pool]") {
  check_case(
      model("pool1d",
            [](graph& g) {
              const dim T{"T"};
              const expr x = permute(g.input<f32>("x", {"B", 8, T}), {0, 2, 1}),
                         lengths = g.input<i32>("lengths", {"B"});
              const auto back = [](expr y) { return permute(y, {0, 2, 1}); };
              g.output("y_max", back(max_pool(x, 3, {.stride = 2, .padding = 1})));
              g.output("y_max_ceil", back(max_pool(x, 3, {.stride = 2, .padding = 1, .round_up = true})));
              g.output("y_avg", back(avg_pool(x, 3, {.stride = 2, .padding = 1})));
              g.output("y_avg_nopad",
                       back(avg_pool(x, 3, {.stride = 2, .padding = 1, .count_padding = false})));
              g.output("global_max", max_over(x, T));
              g.output("global_mean", mean(x, T));
              const expr inside = range(x, T) < reshape(lengths, {"B", 1});
              g.output("masked_global_max", max_over(where(unsqueeze(inside, -1), x, constant(x, -1e30)), T));
            }),
      "pool1d");
}

TEST_CASE("batch_norm by gathered statistics agrees with the reference case", "[norm]") {
  check_case(model(
                 "batch_norm",
                 [](graph& g) {
                   const expr x = permute(g.input<f32>("x", {"B", 6, "H", "W"}), {0, 2, 3, 1});
                   g.output("y", permute(batch_norm(x, "norm"), {0, 3, 1, 2}));
                 },
                 norm_names),
             "batch_norm2d_eval");
}

TEST_CASE("conv1d: strides, dilations, paddings and groups", "[convolution]") {
  compare_at_awkward_sizes(model("conv1d", [](graph& g) {
    const expr x = g.input<f32>("x", {"B", "T", 12}), one = g.input<f32>("one", {"B", "T", 1}),
               wide = g.input<f32>("wide", {"B", "T", 35});
    g.output("padded", conv1d(x, "padded", 7, 3, {.padding = 1}));
    g.output("wide", conv1d(wide, "wide", 67, 4, {.padding = same}));
    g.output("strided", conv1d(wide, "strided", 33, 5, {.stride = 3, .dilation = 2, .padding = 4}));
    g.output("causal", conv1d(x, "causal", 17, 3, {.dilation = 4, .padding = causal, .bias = false}));
    g.output("grouped", conv1d(x, "grouped", 18, 2, {.stride = 2, .padding = 1, .groups = 3}));
    g.output("multiplied", conv1d(x, "multiplied", 24, 3, {.padding = same, .groups = 12}));
    g.output("depthwise", relu(conv1d(wide, "depthwise", 35, 5, {.padding = causal, .groups = 35})) * wide);
    g.output("one_in", conv1d(one, "one_in", 19, 4, {.padding = same}));
    g.output("one_out", conv1d(x, "one_out", 1, 3, {.padding = 5}));
    g.output("strided_point", conv1d(x, "strided_point", 9, 1, {.stride = 2}));
  }));
}

TEST_CASE("a window of 4,200 values is summed in pieces", "[convolution]") {
  compare(model("deep",
                [](graph& g) {
                  const expr x = 0.02 * g.input<f32>("x", {"B", "T", 1400});
                  g.output("y", relu(conv1d(x, "conv", 19, 3, {.padding = 1})));
                  g.output("few_columns", conv1d(x, "few_columns", 34, 3, {.padding = 1}));
                  g.output("largest", max_over(conv1d(x, "largest", 19, 3, {.padding = 1}), axis(1)));
                }),
          {{"B", 2}, {"T", 17}});
}

TEST_CASE("convolutions take epilogues: activation, gate, residual, norm", "[convolution]") {
  compare_at_awkward_sizes(model("epilogues", [](graph& g) {
    const expr x = g.input<f32>("x", {"B", "T", 20});
    const auto conv = [](expr y, const char* name) { return conv1d(y, name, 20, 3, {.padding = causal}); };
    g.output("residual", x + relu(conv(x, "residual")));
    g.output("gate", tanh(conv(x, "filter")) * sigmoid(conv(x, "gate")));
    g.output("normed", gelu(batch_norm(conv(x, "normed.conv"), "normed.norm")) + x);
    g.output("normed_linear", silu(batch_norm(linear(x, "nl.linear", 9, {.bias = false}), "nl.norm")));
    g.output("normed_point", batch_norm(conv1d(x, "np.conv", 37, 1), "np.norm"));
    const expr twice = conv(x, "twice");
    g.output("not_folded", batch_norm(twice, "twice_norm") * twice);
    g.output("repeated",
             repeat("layer", 3, x, [&](expr y) { return y + relu(batch_norm(conv(y, "conv"), "norm")); }));
    const expr shared = conv1d(x, "q", 6, 1), beside = linear(x, "k", 11);
    g.output("query", shared);
    g.output("key", beside);
  }));
}

TEST_CASE("the largest value over time is taken in the same pass", "[convolution]") {
  const auto declared = model("largest", [](graph& g) {
    const expr x = g.input<f32>("x", {"B", "T", 35}), y = g.input<f32>("y", {"B", "T", "S", 6});
    g.output("relu", max_over(relu(conv1d(x, "relu", 67, 5, {.padding = 4})), axis(1)));
    g.output("kept", max_over(conv1d(x, "kept", 8, 3, {.stride = 2, .padding = 1}), axis(1), {.keep = true}));
    g.output("normed",
             max_over(tanh(batch_norm(conv1d(x, "conv", 36, 2, {.padding = same}), "norm")), axis(1)));
    g.output("words", max_over(conv1d(y, "words", 17, 3, {.padding = causal}), axis(2)));
    g.output("beside", max_over(conv1d(x, "beside", 9, 3, {.padding = same}), axis(2)));
    g.output("grouped", max_over(conv1d(x, "grouped", 10, 3, {.padding = same, .groups = 5}), axis(1)));
    g.output("smallest", min_over(conv1d(x, "smallest", 9, 3, {.padding = same}), axis(1)));
  });
  compare_at_awkward_sizes(declared);
  compare(declared, {{"B", 2}, {"T", 901}, {"S", 2}}); // more rows than are gathered at a time
}

TEST_CASE("transposed convolutions: remainders of the stride with and without taps", "[convolution]") {
  compare_at_awkward_sizes(model("conv_transpose1d", [](graph& g) {
    const expr x = g.input<f32>("x", {"B", "T", 12});
    g.output("doubled", conv_transpose1d(x, "doubled", 7, 4, {.stride = 2, .padding = 1}));
    g.output("sparse", relu(conv_transpose1d(x, "sparse", 5, 2, {.stride = 4})));
    g.output("dilated", conv_transpose1d(x, "dilated", 33, 3, {.stride = 2, .dilation = 3}));
    g.output("even", conv_transpose1d(x, "even", 9, 3, {.stride = 4, .dilation = 2, .output_padding = 3}));
    g.output("grouped", conv_transpose1d(x, "grouped", 6, 3,
                                         {.stride = 3, .padding = 1, .groups = 2, .output_padding = 1}));
    g.output("depthwise", conv_transpose1d(x, "depthwise", 12, 5, {.stride = 2, .groups = 12}));
    g.output("normed", batch_norm(conv_transpose1d(x, "plain", 12, 3), "norm"));
  }));
}

TEST_CASE("conv2d and its transposed form", "[convolution]") {
  compare_at_awkward_sizes(model("conv2d", [](graph& g) {
    const expr x = g.input<f32>("x", {"B", "T", "S", 6});
    g.output("padded", conv2d(x, "padded", 17, 3, {.padding = 1}));
    g.output("oblong", conv2d(x, "oblong", 5, {1, 4}, {.stride = {2, 1}, .padding = {0, 2}}));
    g.output("strided", tanh(conv2d(x, "strided", 34, {3, 2}, {.stride = {2, 3}, .padding = {1, 2}})));
    g.output("dilated", conv2d(x, "dilated", 4, 3, {.dilation = {2, 1}, .padding = same, .groups = 2}));
    g.output("depthwise", conv2d(x, "depthwise", 6, 3, {.padding = 1, .groups = 6}));
    g.output("patches", conv2d(x, "patches", 18, {1, 1}, {.stride = {3, 2}}));
    g.output("doubled", conv_transpose2d(x, "doubled", 7, 4, {.stride = 2, .padding = 1}));
    g.output("uneven", relu(conv_transpose2d(x, "uneven", 8, {3, 2},
                                             {.stride = {1, 3}, .groups = 2, .output_padding = {0, 2}})));
  }));
}

TEST_CASE("depthwise convolution over time by long filters", "[convolution]") {
  const auto declared = model("long_filters", [](graph& g) {
    const expr x = g.input<f32>("x", {"B", "T", 70});
    const auto each = [&](const char* name, int taps, conv1d_options options) {
      options.groups = 70;
      return conv1d(x, name, 70, taps, options);
    };
    g.output("same", each("same", 31, {.padding = same}));
    g.output("causal", relu(each("causal", 16, {.padding = causal, .bias = false})));
    g.output("residual", x + silu(each("residual", 17, {.padding = same})));
    g.output("dilated", each("dilated", 16, {.dilation = 5, .padding = 40}));
    g.output("strided", each("strided", 20, {.stride = 3, .padding = 11}));
    g.output("turned", conv_transpose1d(x, "turned", 70, 33, {.stride = 2, .padding = 7, .groups = 70}));
  });
  compare(declared, {{"B", 2}, {"T", 150}});
  compare(declared, {{"B", 1}, {"T", 37}});
}

TEST_CASE("planes that have one line at times, by long filters along it", "[convolution]") {
  const auto declared = model("lines", [](graph& g) {
    const expr x = g.input<f32>("x", {"B", "H", "W", 8});
    g.output("along", conv2d(x, "along", 8, {1, 16}, {.padding = {0, 3}, .groups = 8}));
    // One line of the result sees none of the plane's.
    g.output("outside", conv2d(x, "outside", 8, {1, 17}, {.stride = {9, 1}, .padding = {1, 0}, .groups = 8}));
  });
  compare_below(declared, {{"B", 2}, {"H", 4}, {"W", 64}},
                {{{"B", 1}, {"H", 1}, {"W", 64}},
                 {{"B", 2}, {"H", 4}, {"W", 64}},
                 {{"B", 2}, {"H", 2}, {"W", 33}},
                 {{"B", 2}, {"H", 1}, {"W", 32}},
                 {{"B", 1}, {"H", 1}, {"W", 17}}});
}

TEST_CASE("planes of many features and 3 x 3 filters", "[convolution]") {
  const auto declared = model("by_tiles", [](graph& g) {
    const expr x = g.input<f32>("x", {"B", "T", "S", 20}), few = g.input<f32>("few", {"B", 6, 7, 16});
    const auto conv = [](expr y, const char* name) { return conv2d(y, name, 20, 3, {.padding = 1}); };
    g.output("residual", x + relu(conv(x, "residual")));
    g.output("gate", tanh(conv(x, "filter")) * sigmoid(conv(x, "gate")));
    g.output("normed", gelu(batch_norm(conv(x, "normed.conv"), "normed.norm")));
    g.output("wide", conv2d(x, "wide", 67, 3, {.padding = {2, 1}, .bias = false}));
    g.output("turned", relu(conv_transpose2d(x, "turned", 33, 3)));
    g.output("small", conv2d(few, "small", 17, 3, {.padding = 1}));
    g.output("repeated", repeat("layer", 2, x, [&](expr y) { return y + relu(conv(y, "conv")); }));
  });
  compare_at_awkward_sizes(declared);
  const model_weights from = random_weights(declared);
  const named_values inputs = random_inputs(declared, {{"B", 3}, {"T", 31}, {"S", 18}});
  const named_values expected = run_model<f32>(declared, from, inputs);
  for (const int threads : {2, 3, 4})
    for (const auto& [name, found] : run_model<f32>(declared, from, inputs, threads)) {
      INFO(instruction_set() << ", " << threads << " threads, output " << name);
      CHECK(found.values == expected.at(name).values);
    }
}

TEST_CASE("planes by windows of other sizes and strides that go by tiles", "[convolution]") {
  const auto declared = model("strided_tiles", [](graph& g) {
    const expr image = g.input<f32>("image", {"B", "T", "S", 3}), x = g.input<f32>("x", {"B", "T", "S", 18});
    const expr stem = conv2d(image, "stem", 35, 7, {.stride = 2, .padding = 3});
    g.output("stem", relu(stem));
    g.output("gate", tanh(conv2d(image, "gate", 35, 7, {.stride = 2, .padding = 3})) * stem);
    g.output("normed",
             relu(batch_norm(conv2d(image, "normed", 16, 5, {.stride = 2, .padding = {2, 3}}), "norm")));
    g.output("inside", conv2d(image, "inside", 32, 6, {.stride = 2, .padding = {2, 0}, .bias = false}));
    g.output("residual", x + gelu(conv2d(x, "residual", 18, 5, {.padding = same})));
    g.output("even", relu(conv2d(x, "even", 17, 4, {.padding = 2})));
    g.output("turned", conv_transpose2d(x, "turned", 16, 5, {.padding = 2}));
  });
  compare(declared, {{"B", 1}, {"T", 6}, {"S", 6}});
  compare(declared, {{"B", 2}, {"T", 31}, {"S", 18}});
  compare(declared, {{"B", 1}, {"T", 40}, {"S", 53}});
}

TEST_CASE("nets of the same filters by other strides have tiles of their own", "[convolution]") {
  const auto& other = strided_planes<2>;
  const model_weights from = random_weights(strided_planes<1>);
  const auto kept = compile(strided_planes<1>, from, {.capacity = {{dim{"B"}, 1}}, .threads = 1});
  const named_values inputs = random_inputs(other.view, {{"B", 1}});
  check_near(run_model<f32>(other, from, inputs), run_model<reference>(other, from, inputs), 1e-5, 0);
}

TEST_CASE("pooling over time and planes", "[pool]") {
  compare_at_awkward_sizes(model("pools", [](graph& g) {
    const expr x = g.input<f32>("x", {"B", "T", 19}), y = g.input<f32>("y", {"B", "T", "S", 5});
    g.output("max", max_pool(x, 4, {.stride = 1, .padding = same}));
    g.output("max_causal", max_pool(x, 3, {.stride = 2, .padding = causal, .round_up = true}));
    g.output("max_single", max_pool(x, 1, {.stride = 3}));
    g.output("avg", avg_pool(x, 5, {.stride = 3, .padding = 2, .round_up = true}));
    g.output("avg_inside", avg_pool(x, 4, {.stride = 2, .padding = 3, .count_padding = false}));
    g.output("max_planes", max_pool(y, 3, {.stride = 2, .padding = 1}));
    g.output("avg_planes", avg_pool(y, {2, 3}, {.stride = {1, 2}, .padding = {1, 2}, .round_up = true}));
    g.output("avg_planes_inside", avg_pool(y, 2, {.padding = 1, .count_padding = false}));
  }));
}

TEST_CASE("convolutions whose last panel has few columns", "[convolution]") {
  const auto declared = model("few_columns", [](graph& g) {
    const expr x = g.input<f32>("x", {"B", "T", 13}), y = g.input<f32>("y", {"B", "T", "S", 10});
    g.output("one", conv1d(x, "one", 33, 3, {.padding = same}));
    g.output("two", tanh(conv1d(x, "two", 2, 4, {.padding = causal})));
    g.output("residual", conv1d(x, "residual", 4, 2, {.padding = causal}) + conv1d(x, "beside", 4, 1));
    g.output("four", relu(conv2d(y, "four", 36, 3, {.padding = 1})));
    g.output("twenty", conv2d(y, "twenty", 20, 3, {.padding = 1}));
    g.output("three", conv2d(y, "three", 35, 3, {.dilation = 2, .padding = 2, .bias = false}));
    g.output("groups", conv2d(y, "groups", 6, 3, {.stride = 2, .padding = 1, .groups = 2}));
    g.output("largest", max_over(conv1d(x, "largest", 100, 3, {.padding = 1}), axis(1)));
  });
  compare_at_awkward_sizes(declared);
  // That panel may be alone in a task, or behind others, for whole register blocks of rows and for three.
  const model_weights from = random_weights(declared);
  const named_values inputs = random_inputs(declared, {{"B", 1}, {"T", 57}, {"S", 11}});
  const named_values expected = run_model<f32>(declared, from, inputs);
  for (const int threads : {2, 3, 4})
    for (const auto& [name, found] : run_model<f32>(declared, from, inputs, threads)) {
      INFO(instruction_set() << ", " << threads << " threads, output " << name);
      CHECK(found.values == expected.at(name).values);
    }
}

TEST_CASE("planes of several tiles: depthwise convolution and pooling", "[convolution][pool]") {
  const auto declared = model("tiles", [](graph& g) {
    const expr x = g.input<f32>("x", {"B", "T", "S", 132}), few = g.input<f32>("few", {"B", "T", "S", 3});
    const auto depthwise = [](expr y, const char* name, conv2d_options options, int size = 3) {
      const int features = options.groups;
      return conv2d(y, name, features, size, options);
    };
    g.output("same", relu(depthwise(x, "same", {.padding = 1, .groups = 132})));
    g.output("valid", depthwise(x, "valid", {.groups = 132}));
    g.output("residual", x + depthwise(x, "residual", {.padding = 1, .groups = 132}));
    g.output("gate", x * tanh(depthwise(x, "gate", {.padding = same, .groups = 132}, 5)));
    g.output("spread",
             relu(depthwise(x, "spread", {.stride = 2, .dilation = 2, .padding = 3, .groups = 132})));
    g.output("strided", depthwise(x, "strided", {.stride = 2, .padding = 1, .groups = 132}));
    g.output("dilated", depthwise(x, "dilated", {.dilation = {1, 3}, .padding = {0, 4}, .groups = 132}));
    g.output("few", relu(depthwise(few, "few", {.padding = 2, .groups = 3})));
    g.output("largest", max_pool(x, 3, {.stride = 2, .padding = 1}));
    g.output("means", avg_pool(x, 3, {.padding = 1, .count_padding = false}));
    g.output("largest_of_few", max_pool(few, {2, 4}, {.stride = {1, 3}}));
  });
  compare(declared, {{"B", 1}, {"T", 23}, {"S", 37}});
  compare(declared, {{"B", 2}, {"T", 9}, {"S", 11}});
}

TEST_CASE("a feed-forward layer equals two convolutions of width 1 with ReLU between", "[convolution]") {
  constexpr auto linear_layers = model("layers", [](graph& g) {
    const expr x = g.input<f32>("x", {"B", "T", 20});
    g.output("y", linear(relu(linear(x, "up", 70)), "down", 20));
  });
  constexpr auto convolutions = model("convolutions", [](graph& g) {
    const expr x = g.input<f32>("x", {"B", "T", 20});
    g.output("y", conv1d(relu(conv1d(x, "up", 70, 1)), "down", 20, 1));
  });
  const auto values = [](const std::vector<std::size_t>& shape, const std::string& name) {
    const golden_tensor from = formula_tensor(name, shape);
    return weight_tensor{shape, std::vector<float>(from.values.begin(), from.values.end())};
  };
  const auto with_width = [&](std::vector<std::size_t> one) {
    const auto shape = [&](std::size_t out, std::size_t in) {
      std::vector<std::size_t> s{out, in};
      s.insert(s.end(), one.begin(), one.end());
      return s;
    };
    return model_weights::from({{"up.weight", values(shape(70, 20), "up.weight")},
                                {"up.bias", values({70}, "words")},
                                {"down.weight", values(shape(20, 70), "down.weight")},
                                {"down.bias", values({20}, "others")}});
  };
  const named_values inputs{{"x", values_of({3, 17, 20}, false, "x")}};
  on_both_backends([&](auto backend) {
    using on = decltype(backend);
    CHECK(run_model<on>(convolutions, with_width({1}), inputs).at("y").values ==
          run_model<on>(linear_layers, with_width({}), inputs).at("y").values);
  });
}
