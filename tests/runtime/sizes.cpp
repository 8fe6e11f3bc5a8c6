#include <catch2/catch.hpp>

#include <cstdint>
#include <string>

#include <fovea/fovea.hpp>

#include "../message_of.hpp"

using namespace fovea;
using namespace fovea::core;

namespace {

inline constexpr dim B{"B"}, H{"H"}, W{"W"}, T{"T"}, S{"S"};

/// Pictures of whole patches: H and W count these.
constexpr auto patches = model("patches", [](graph& g) {
  const expr x = g.input<f32>("x", {B, 4 * H, 4 * W, 3});
  g.output("rows", to_float(range(x, H)));
  g.output("columns", to_float(range(x, W)));
  g.output("means", avg_pool(x, {4, 4}));
});

/// T by the second input, and S by the first once T is known; H by a product.
constexpr auto chained = model("chained", [](graph& g) {
  const expr x = g.input<f32>("x", {T + 2 * S - 1});
  const expr y = g.input<f32>("y", {3 * T + 1, W});
  const expr z = g.input<f32>("z", {H * W});
  g.output("t", to_float(range(x, T)));
  g.output("s", to_float(range(y, S)));
  g.output("h", to_float(range(z, H)));
});

xt::xtensor<float, 4> pictures(std::size_t height, std::size_t width) {
  return xt::ones<float>({std::size_t{2}, height, width, std::size_t{3}});
}
xt::xtensor<float, 1> numbers(std::size_t n) { return xt::ones<float>({n}); }
xt::xtensor<float, 2> table(std::size_t n, std::size_t m) { return xt::ones<float>({n, m}); }

template <class backend>
void check_patches(backend& net) {
  const auto out = net("x"_in = pictures(8, 12));
  CHECK(out["rows"_out].size() == 2);
  CHECK(out["columns"_out].size() == 3);
  CHECK(out["means"_out].shape() == std::array<std::size_t, 4>{2, 2, 3, 3});
  CHECK(net("x"_in = pictures(16, 4))["rows"_out](3) == 3);
}

} // namespace

TEST_CASE("an axis of a number times a symbol tells the symbol, on both backends") {
  const compile_options options{.capacity = {{B, 2}, {H, 4}, {W, 4}}};
  auto net = compile(patches, model_weights::from({}), options);
  check_patches(net);
  auto plain = compile<reference>(patches, model_weights::from({}), options);
  check_patches(plain);
}

TEST_CASE("an axis that no whole number of the symbol gives is refused, and one above its capacity") {
  auto net = compile(patches, model_weights::from({}), {.capacity = {{B, 2}, {H, 4}, {W, 4}}});
  const std::string input = "patches: input \"x\" [B, 4*H, 4*W, 3]: ";
  CHECK(message_of<error>([&] { net("x"_in = pictures(8, 10)); }) ==
        input + "axis 2 (4*W) is 10, expected a multiple of 4");
  CHECK(message_of<error>([&] { net("x"_in = pictures(20, 8)); }) ==
        input + "axis 1 (4*H) is 20, which makes H 5, expected 1 to 4, the capacity of H");
  CHECK(message_of<error>([&] { net("x"_in = pictures(0, 8)); }) ==
        input + "axis 1 (4*H) is 0, which makes H 0, expected 1 to 4, the capacity of H");
  check_patches(net); // and the next call is none the worse
}

TEST_CASE("symbols are found one after another, whichever input tells them") {
  auto net = compile(chained, model_weights::from({}), {.capacity = {{T, 4}, {S, 4}, {H, 8}, {W, 4}}});
  const auto out = net("x"_in = numbers(7), "y"_in = table(7, 3), "z"_in = numbers(15));
  CHECK(out["t"_out].size() == 2);
  CHECK(out["s"_out].size() == 3);
  CHECK(out["h"_out].size() == 5);
  CHECK(message_of<error>([&] { net("x"_in = numbers(7), "y"_in = table(8, 3), "z"_in = numbers(15)); }) ==
        "chained: input \"y\" [3*T + 1, W]: axis 0 (3*T + 1) is 8, expected a multiple of 3 plus 1");
  CHECK(message_of<error>([&] { net("x"_in = numbers(6), "y"_in = table(7, 3), "z"_in = numbers(15)); }) ==
        "chained: input \"x\" [2*S + T - 1]: axis 0 (2*S + T - 1) is 6, expected a multiple of 2 plus 1");
  CHECK(message_of<error>([&] { net("x"_in = numbers(7), "y"_in = table(7, 3), "z"_in = numbers(14)); }) ==
        "chained: input \"z\" [H*W]: axis 0 (H*W) is 14, expected a multiple of 3");
}

TEST_CASE("a product of dims that 64 bits do not hold is refused when the model is compiled") {
  constexpr auto four = model("four", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, S, H});
    g.output("y", reshape(x, {B * T * S * H}));
  });
  constexpr std::int64_t most = 2147483647;
  CHECK(message_of<error>([&] {
          compile(four, model_weights::from({}), {.capacity = {{B, most}, {T, most}, {S, most}, {H, most}}});
        }) == "four: the dim B*H*S*T does not fit 64 bits at the capacity given");
}
