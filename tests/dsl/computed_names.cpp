#include <catch2/catch.hpp>

#include <string>
#include <string_view>

#include <fovea/dsl.hpp>
#include <fovea/dsl/passes/gradient_graph.hpp>

#include "refused.hpp"

using namespace fovea;

namespace {

constexpr dim B{"B"}, T{"T"};

constexpr auto named = model("named", [](graph& g) {
  constexpr std::string_view words = "query key value";
  const expr x = g.input<f32>("x", {B, T, 8});
  expr y = x;
  for (std::size_t from = 0, to = 0; to < words.size(); from = to + 1) {
    to = words.find(' ', from) < words.size() ? words.find(' ', from) : words.size();
    y = y + linear(x, words.substr(from, to - from), 8);
  }
  char layer[] = "layer0";
  for (char digit : {'1', '2'}) {
    layer[5] = digit;
    const scope inside(x, layer);
    y = y * parameter(x, std::string_view("gain of").substr(0, 4), {8});
  }
  y = repeat(std::string_view("hidden").substr(0, 1), 3, y, [](expr z) {
    return z + attention(z, z, z, {.heads = 1, .score = general(std::string_view("score").substr(1))});
  });
  g.output("loss", mse(y, x));
});

template <class M>
std::string parameter_of(const M&, int parameter, std::int64_t layer = -1) {
  return M::view.parameter_name(parameter, layer).text;
}

} // namespace

TEST_CASE("names of parameters may be computed, and the model keeps them") {
  const char* expected[] = {"query.weight", "query.bias",  "key.weight",  "key.bias",       "value.weight",
                            "value.bias",   "layer1.gain", "layer2.gain", "h.*.core.weight"};
  REQUIRE(named.view.parameters.size() == std::size(expected));
  for (int p = 0; p < static_cast<int>(std::size(expected)); ++p)
    CHECK(parameter_of(named, p) == expected[p]);
  CHECK(parameter_of(named, 8, 2) == "h.2.core.weight");
}

TEST_CASE("what is derived of a model has its computed names") {
  constexpr auto learned = gradients(named);
  for (int p = 0; p < static_cast<int>(named.view.parameters.size()); ++p)
    CHECK(parameter_of(learned, p) == parameter_of(named, p));
  CHECK(std::string(learned.view.outputs[1].name) == "grad.query.weight");
}

TEST_CASE("computed names are refused as others are") {
  const std::string twice = "twice";
  CHECK(refused([&](graph& g) {
          const expr x = g.input<f32>("x", {B, T, 8});
          linear(linear(x, twice, 8), "twice", 8);
        }).starts_with("parameter \"twice.weight\" is made twice, first at computed_names.cpp:"));
  CHECK(refused([](graph& g) {
          linear(g.input<f32>("x", {B, 8}), std::string_view(), 8);
        }) == "a name is empty");
  CHECK(refused([](graph& g) {
          linear(g.input<f32>("x", {B, 8}), std::string(core::graph::max_text, 'a'), 8);
        }) == "a model's computed names have at most 16384 characters in all");
}
