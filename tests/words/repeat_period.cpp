// Layers of several kinds by turns: what a repeat with a period gives is what its layers give one by one.

#include "../streams/stream_case.hpp"
#include "../training/gradient_case.hpp"

#include <set>

using namespace fovea;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};
constexpr int kinds = 3;

constexpr expr layer(expr x, int phase) {
  if (phase == 0) return x + linear(tanh(linear(x, "up", 7)), "down", 4);
  if (phase == 1) return x + attention(linear(x, "q", 4), x, x, {.mask = window(2)});
  return tanh(gru(x, "rnn", 4));
}

/// By a repeat, or each layer by itself under the same name.
template <int layers, int first, bool repeated>
constexpr auto deep = model("deep", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 4});
  if constexpr (repeated)
    x = repeat("h", layers, x, layer, {.first = first, .period = kinds});
  else
    for (int i = 0; i < layers; ++i) {
      const scope names(x, "h", first + i);
      x = layer(x, i % kinds);
    }
  g.output("y", x);
});

/// Both by the same tensors.
template <int layers, int first>
void check_period() {
  constexpr auto by_repeat = deep<layers, first, true>;
  constexpr auto one_by_one = deep<layers, first, false>;
  static_assert(by_repeat.parameters() == one_by_one.parameters());
  static_assert(by_repeat.flops({{B, 2}, {T, 5}}) == one_by_one.flops({{B, 2}, {T, 5}}));
  const model_weights made = random_weights(one_by_one);
  const auto tensors = random_tensors(by_repeat);
  REQUIRE(tensors.size() == made.tensors().size());
  for (const auto& [name, tensor] : tensors) CHECK(made.tensors().contains(name));
  const named_values inputs = random_inputs(by_repeat, {{"B", 2}, {"T", 5}});
  on_both_backends([&](auto backend) {
    const golden_tensor found = run_model<decltype(backend)>(by_repeat, made, inputs).at("y"),
                        expected = run_model<decltype(backend)>(one_by_one, made, inputs).at("y");
    for (std::size_t i = 0; i < expected.values.size(); ++i)
      CHECK(found.values[i] == Approx(expected.values[i]).margin(1e-6));
  });
}

} // namespace

TEST_CASE("layers by turns are what they are one by one", "[repeat]") {
  check_period<8, 0>(); // two periods, and two layers that are left
  check_period<6, 2>(); // two periods
  check_period<2, 1>(); // less than one
}

TEST_CASE("layers by turns learn", "[repeat]") { check_gradients_of_words(deep<7, 0, true>); }

TEST_CASE("layers by turns stream", "[repeat]") { check_stream<T>(deep<7, 0, true>, {{"B", 2}, {"T", 6}}); }

TEST_CASE("names of layers by turns say which they are", "[repeat]") {
  static constexpr auto net = deep<7, 4, true>;
  using N = std::remove_const_t<decltype(net)>;
  std::set<std::string> together;
  for (std::size_t p = 0; p < N::view.parameters.size(); ++p)
    together.insert(N::view.parameter_name(static_cast<int>(p)).text);
  for (const char* name :
       {"h.{3*i+4}.up.weight", "h.{3*i+5}.q.weight", "h.{3*i+6}.rnn.weight_ih_l0", "h.10.up.weight"})
    CHECK(together.contains(name));
  const auto tensors = random_tensors(net);
  for (const char* name :
       {"h.4.up.weight", "h.7.up.weight", "h.8.q.bias", "h.9.rnn.weight_hh_l0", "h.10.down.bias"})
    CHECK(tensors.contains(name));
  CHECK(!tensors.contains("h.5.up.weight"));
}
