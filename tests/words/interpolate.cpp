// interpolate: PyTorch's results and gradients, its formulas at other sizes, the kernels against the reference, gradients
// against difference quotients.

#include "../training/gradient_case.hpp"

#include <algorithm>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr expr planes_as_here(expr x) { return permute(x, {0, 2, 3, 1}); }
constexpr expr planes_as_there(expr x) { return permute(x, {0, 3, 1, 2}); }

template <int height, int width>
constexpr void resize(graph& g, expr x, const char* nearest, const char* bilinear, const char* aligned,
                      const char* bicubic) {
  const auto resized = [&](interpolation mode, bool align_corners) {
    return planes_as_there(interpolate(
        planes_as_here(x), {.to = {height, width}, .mode = mode, .align_corners = align_corners}));
  };
  g.output(nearest, resized(interpolation::nearest, false));
  g.output(bilinear, resized(interpolation::linear, false));
  g.output(aligned, resized(interpolation::linear, true));
  g.output(bicubic, resized(interpolation::cubic, false));
}

constexpr auto planes_of_case = model("planes_of_case", [](graph& g) {
  const expr x = g.input<f32>("x", {2, 3, 5, 7});
  resize<10, 14>(g, x, "nearest_10x14", "bilinear_10x14", "bilinear_ac_10x14", "bicubic_10x14");
  resize<8, 4>(g, x, "nearest_8x4", "bilinear_8x4", "bilinear_ac_8x4", "bicubic_8x4");
  resize<5, 9>(g, x, "nearest_5x9", "bilinear_5x9", "bilinear_ac_5x9", "bicubic_5x9");
});
constexpr auto signals_of_case = model("signals_of_case", [](graph& g) {
  const expr signal = transpose(g.input<f32>("signal", {2, 3, 7}));
  g.output("linear_13", transpose(interpolate(signal, {.to = 13, .mode = interpolation::linear})));
  g.output("linear_4", transpose(interpolate(signal, {.to = 4, .mode = interpolation::linear})));
  g.output("nearest_13", transpose(interpolate(signal, {.to = 13})));
  g.output("nearest_4", transpose(interpolate(signal, {.to = 4})));
});

/// Sizes known only at run time, and other ranks.
constexpr auto resized = model("resized", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 5}), h = tanh(linear(x, "h", 12));
  g.output("twice", interpolate(h, {.to = 2 * T, .mode = interpolation::linear}));
  g.output("and_back", interpolate(interpolate(h, {.to = 3 * T, .mode = interpolation::cubic}),
                                   {.to = T, .mode = interpolation::cubic}));
  g.output("nearest", interpolate(h, {.to = 3 * T}));
  const expr planes = reshape(h, {B, T, 2, 3, 2});
  g.output("planes",
           interpolate(planes, {.to = {5, 1}, .mode = interpolation::linear, .align_corners = true}));
  g.output("batch", interpolate(reshape(h, {B, T, 4, 3}), {.to = {2 * T, 7}, .mode = interpolation::cubic}));
});

/// Where PyTorch's formulas put place i, and what it sees of x there.
double at_place(const std::vector<double>& x, double place, interpolation mode) {
  const auto see = [&](double at) {
    return x[static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(x.size()) - 1))];
  };
  const double low = std::floor(place), t = place - low;
  if (mode == interpolation::nearest) return see(low);
  if (mode == interpolation::linear) return see(low) + (see(low + 1) - see(low)) * t;
  const auto weight = [](double s) { // Keys 1981, equation 4
    const double a = -0.75;
    s = std::abs(s);
    return s <= 1 ? (a + 2) * s * s * s - (a + 3) * s * s + 1 : a * (s * s * s - 5 * s * s + 8 * s - 4);
  };
  double y = 0;
  for (int k = -1; k <= 2; ++k) y += weight(t - k) * see(low + k);
  return y;
}

template <int from, int to>
constexpr auto every_mode = model("every_mode", [](graph& g) {
  const expr x = g.input<f32>("x", {from, 1});
  g.output("nearest", interpolate(x, {.to = to}));
  g.output("linear", interpolate(x, {.to = to, .mode = interpolation::linear}));
  g.output("cubic", interpolate(x, {.to = to, .mode = interpolation::cubic}));
  g.output("linear_aligned",
           interpolate(x, {.to = to, .mode = interpolation::linear, .align_corners = true}));
  g.output("cubic_aligned", interpolate(x, {.to = to, .mode = interpolation::cubic, .align_corners = true}));
});

template <int from, int to>
void check_formulas() {
  const golden_tensor x = values_of({from, 1}, false, "x");
  on_both_backends([&](auto backend) {
    const named_values found =
        run_model<decltype(backend)>(every_mode<from, to>, model_weights::from({}), {{"x", x}});
    const auto check_mode = [&](const std::string& name, interpolation mode, auto place_of) {
      REQUIRE(found.at(name).shape == std::vector<std::size_t>{to, 1});
      for (int i = 0; i < to; ++i) {
        INFO(name << " from " << from << " to " << to << ", place " << i);
        CHECK(found.at(name).values[static_cast<std::size_t>(i)] ==
              Approx(at_place(x.values, place_of(i), mode)).margin(2e-6));
      }
    };
    const auto middle = [](int i) { return (i + 0.5) * from / to - 0.5; };
    const auto aligned = [](int i) { return to == 1 ? 0.0 : static_cast<double>(i * (from - 1)) / (to - 1); };
    check_mode("nearest", interpolation::nearest, [](int i) { return static_cast<double>(i * from / to); });
    check_mode("linear", interpolation::linear, middle);
    check_mode("cubic", interpolation::cubic, middle);
    check_mode("linear_aligned", interpolation::linear, aligned);
    check_mode("cubic_aligned", interpolation::cubic, aligned);
  });
}

} // namespace

TEST_CASE("interpolate agrees with PyTorch", "[words]") {
  check_case(planes_of_case, "today/interpolate");
  check_case(signals_of_case, "today/interpolate");
}

TEST_CASE("interpolate follows PyTorch's formulas, the nearest place exactly", "[words]") {
  check_formulas<1, 5>();
  check_formulas<5, 1>();
  check_formulas<3, 49>(); // of which a float32 scale gets places wrong
  check_formulas<41, 23>();
}

TEST_CASE("interpolate against the reference", "[words]") { compare_at_awkward_sizes(resized); }

TEST_CASE("the gradients of interpolate", "[words]") { check_gradients_of(resized); }
