// Convolutions by weights in other formats than float32: rows of a product are what their windows see.

#include "../compare_backends.hpp"
#include "../each_format.hpp"
#include "../weights/temporary_folder.hpp"

#include <fovea/backends/simd/isa/sets_here.hpp>
#include <fovea/weights/save_packed.hpp>
#include <fovea/weights/save_weights.hpp>

#include <cmath>
#include <cstdint>
#include <set>
#include <string>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using Catch::Approx;

namespace {

inline constexpr dim B{"B"}, T{"T"};

using names = std::set<std::string, std::less<>>;

/// Windows that lie in one piece, that reach over an edge, and whose taps are apart; in a repeat; joined with an
/// activation and a residual.
constexpr auto over_time = model("over_time", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
  x = gelu(conv1d(x, "valid", 192, 6));
  x = repeat("blocks", 2, x,
             [](expr y) { return y + gelu(conv1d(y, "same", 192, 3, {.dilation = 2, .padding = same})); });
  x = conv1d(x, "strided", 224, 4, {.stride = 2, .padding = 1, .bias = false});
  g.output("y", conv1d(x, "point", 160, 1));
});

/// Patches of an image, of which the last places are left over.
constexpr auto of_planes = model("of_planes", [](graph& g) {
  expr x = g.input<f32>("x", {B, 33, 30, 12});
  x = relu(conv2d(x, "patches", 96, {7, 6}, {.stride = {8, 6}}));
  g.output("y", conv2d(x, "pairs", 128, 2, {.stride = 2, .padding = 1}));
});

/// Windows that overlap and go by no tiles: neighbours whose lines lie in one piece, taps apart, and an oblong.
constexpr auto overlapping = model("overlapping", [](graph& g) {
  expr x = g.input<f32>("x", {B, 17, 14, 48});
  x = relu(conv2d(x, "strided", 96, 3, {.stride = 2, .padding = 1}));
  x = x + conv2d(x, "dilated", 96, 3, {.dilation = 2, .padding = 2});
  g.output("y", conv2d(x, "oblong", 64, {3, 5}, {.stride = {1, 3}, .padding = {4, 9}}));
});

/// Of one value, and so in one step: one in the format, and one by tiles. Another by tiles is joined with a residual.
constexpr auto beside = model("beside", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 64});
  const expr y =
      conv1d(x, "seven", 160, 7, {.padding = same}) + conv1d(x, "three", 160, 3, {.padding = same});
  g.output("y", y + relu(conv1d(y, "five", 160, 5, {.padding = same})));
});

// Those that stay float32, for one reason each.
constexpr auto in_float32 = model("in_float32", [](graph& g) {
  const expr image = g.input<f32>("image", {B, 16, 16, 64});
  g.output("planes", conv2d(image, "planes", 64, 3, {.padding = same}));
  g.output("planes_by_two", conv2d(image, "planes_by_two", 64, 5, {.stride = 2}));
  const expr x = g.input<f32>("x", {B, T, 128});
  g.output("groups", conv1d(x, "groups", 1024, 6, {.groups = 2}));
  g.output("transposed", conv_transpose1d(x, "transposed", 96, 3));
  g.output("normed", batch_norm(conv1d(x, "normed", 96, 6), "norm"));
  g.output("largest", max_over(relu(conv1d(x, "largest", 96, 6)), axis(1)));
  g.output("small", conv1d(x, "small", 32, 8));
  g.output("deep", conv1d(x, "deep", 2, 257)); // 32,896 values
  g.output("tiles", conv1d(x, "tiles", 160, 3, {.padding = same}));
});

/// Bit for bit as float32 weights of the rounded values, and with any number of threads; near the specification.
template <class M>
void check_decoded(const M& model, const model_weights& from, const named_values& inputs) {
  const std::vector<double> plain = run_model<f32>(model, from, inputs).at("y").values;
  for_decoded_formats([&](auto format) {
    using type = decltype(format);
    INFO(instruction_set() << ", " << name_of(format_named<type>));
    const model_weights values = rounded_weights<type>(model, from);
    const std::vector<double> found = run_model<type>(model, from, inputs).at("y").values;
    CHECK(found == run_model<type>(model, from, inputs, 3).at("y").values);
    CHECK(found == run_model<f32>(model, values, inputs).at("y").values);
    CHECK(found != plain);
    const named_values exact = run_model<reference>(model, values, inputs);
    CHECK(distance_of(std::span<const double>(found), exact.at("y"), 1e-5, 1e-5).share <= 1);
  });
}

double size_of(const std::vector<double>& x) {
  double all = 0;
  for (const double one : x) all += one * one;
  return std::sqrt(all);
}

/// Those whose products round the rows too: as near to float32 as twice the rounding of the weights.
template <class M>
void check_rounding(const M& model, const model_weights& from, const named_values& inputs) {
  const std::vector<double> plain = run_model<f32>(model, from, inputs).at("y").values;
  for_rounding_formats([&]<class type, class format>(type, format) {
    INFO(instruction_set() << ", " << name_of(format_named<type>));
    std::vector<double> found = run_model<type>(model, from, inputs).at("y").values,
                        decoded = run_model<format>(model, from, inputs).at("y").values;
    CHECK(found == run_model<type>(model, from, inputs, 3).at("y").values);
    CHECK(found != decoded);
    for (std::size_t i = 0; i < plain.size(); ++i) found[i] -= plain[i], decoded[i] -= plain[i];
    CHECK(size_of(found) < 0.2 * size_of(plain));
    CHECK(size_of(found) < 3 * size_of(decoded) + 0.02 * size_of(plain));
  });
}

} // namespace

TEST_CASE("large convolutions of one group that go by no tiles are in the format", "[formats]") {
  CHECK(formatted(decltype(over_time)::view, format_named<q8_0>).names ==
        names{"valid.weight", "blocks.0.same.weight", "blocks.1.same.weight", "strided.weight",
              "point.weight"});
  CHECK(formatted(decltype(of_planes)::view, format_named<q8_0>).names ==
        names{"patches.weight", "pairs.weight"});
  CHECK(formatted(decltype(overlapping)::view, format_named<q8_0>).names ==
        names{"strided.weight", "dilated.weight", "oblong.weight"});
  CHECK(formatted(decltype(beside)::view, format_named<q8_0>).names == names{"seven.weight"});
  CHECK(formatted(decltype(in_float32)::view, format_named<q8_0>).names.empty());
  CHECK(formatted(decltype(over_time)::view, weight_format::f32).names.empty());
}

TEST_CASE("a convolution in a format is that of float32 by the rounded weights", "[formats]") {
  const model_weights of_time = random_weights(over_time), of_images = random_weights(of_planes),
                      of_overlaps = random_weights(overlapping);
  for (const std::int64_t length : {10, 61})
    check_decoded(over_time, of_time, random_inputs(over_time, {{"B", 3}, {"T", length}}));
  check_decoded(of_planes, of_images, random_inputs(of_planes, {{"B", 2}}));
  check_decoded(overlapping, of_overlaps, random_inputs(overlapping, {{"B", 3}}));
  check_decoded(beside, random_weights(beside), random_inputs(beside, {{"B", 2}, {"T", 29}}));
  check_rounding(over_time, of_time, random_inputs(over_time, {{"B", 3}, {"T", 61}}));
  check_rounding(of_planes, of_images, random_inputs(of_planes, {{"B", 2}}));
  check_rounding(overlapping, of_overlaps, random_inputs(overlapping, {{"B", 2}}));
}

TEST_CASE("more windows than are copied together give what each gives alone", "[formats]") {
  constexpr auto wide = model("wide", [](graph& g) {
    g.output("y", conv1d(g.input<f32>("x", {B, T, 1100}), "wide", 32, 3, {.dilation = 2}));
  });
  const model_weights from = random_weights(wide);
  for (const std::size_t length : {110, 170}) // 318 and 498 rows of 3,300
    check_decoded(wide, from, random_inputs(wide, {{"B", 3}, {"T", length}}));
}

TEST_CASE("a stream of convolutions in a format gives what the whole sequence does", "[formats]") {
  constexpr auto causal_layers = model("causal_layers", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 128});
    expr h = relu(conv1d(x, "first", 160, 3, {.padding = causal}));
    g.output("y", h + conv1d(h, "second", 160, 3, {.dilation = 2, .padding = causal}));
  });
  const model_weights from = random_weights(causal_layers);
  xt::xtensor<float, 3> x({2, 9, 128});
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = std::sin(static_cast<float>(i));
  const auto check_one = [&]<class type>(type, float most) {
    INFO(instruction_set() << ", " << name_of(format_named<type>));
    const compile_options options{.capacity = {{B, 2}, {T, 9}}, .threads = 1};
    auto net = compile<type>(causal_layers, from, options);
    const xt::xtensor<float, 3> whole = net("x"_in = x)["y"_out];
    for (const std::size_t chunk : {1u, 3u}) {
      auto live = stream<T, type>(causal_layers, from, options);
      float apart = 0;
      for (std::size_t t = 0; t < 9; t += chunk) {
        const xt::xtensor<float, 3> now = xt::view(x, xt::all(), xt::range(t, t + chunk));
        const auto y = live.step("x"_in = now)["y"_out];
        for (std::size_t row = 0; row < 2; ++row)
          for (std::size_t i = 0; i < chunk; ++i)
            for (std::size_t k = 0; k < 160; ++k)
              apart = std::max(apart, std::abs(y(row, i, k) - whole(row, t + i, k)));
      }
      CHECK(apart <= most);
    }
  };
  for_decoded_formats([&](auto format) { check_one(format, 1e-5f); });
  // A value that differs in its last digit may round to another whole number.
  for_rounding_formats([&](auto format, auto) { check_one(format, 2e-2f); });
}

TEST_CASE("filters that are packed or saved give what their source gives", "[formats][packed]") {
  const model_weights from = random_weights(over_time);
  const named_values inputs = random_inputs(over_time, {{"B", 2}, {"T", 12}});
  const temporary_folder folder;
  all_formats::each([&]<class format>(format) {
    const std::vector<double>
        expected = run_model<format>(over_time, from, inputs).at("y").values,
        rounded = run_model<f32>(over_time, rounded_weights<format>(over_time, from), inputs).at("y").values;
    for (const simd::set_sizes& set : simd::sets_here()) {
      CAPTURE(instruction_set(), set.name, name_of(format_named<format>));
      save_packed(folder / "x.gguf", decltype(over_time)::view, from, over_time.names, format_named<format>,
                  {set.name, set.panel});
      const model_weights packed = load_weights(folder / "x.gguf");
      CHECK(run_model<format>(over_time, packed, inputs).at("y").values == expected);
      CHECK(run_model<f32>(over_time, packed, inputs).at("y").values == rounded);
    }
  });
  for_formats_of_files([&]<class format>(format) {
    CAPTURE(instruction_set(), name_of(format_named<format>));
    save_weights<format>(folder / "y.gguf", over_time, from);
    CHECK(run_model<format>(over_time, load_weights(folder / "y.gguf"), inputs).at("y").values ==
          run_model<format>(over_time, from, inputs).at("y").values);
  });
}
