// So many calls of one model by one thread, for bench/arm_instructions.py to count the instructions of.
//
//     calls CASE COUNT
//
// The exit status is 2 where there is no such case. Weights are of no meaning.

#include "random_weights.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fovea/fovea.hpp>
#include <fovea/models/bert.hpp>
#include <fovea/models/gpt2.hpp>
#include <map>
#include <string_view>

namespace {

using namespace fovea;
using namespace fovea::core;

inline constexpr dim B{"B"}, T{"T"};

// One number in, one number out.
template <bool gated_by_three, int hidden>
inline constexpr auto cell = model("cell", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 1});
  g.output("y",
           linear(gated_by_three ? expr(gru(x, "rnn", hidden)) : expr(lstm(x, "rnn", hidden)), "out", 1));
});

template <bool gated_by_three, int hidden>
void sample(int count) {
  constexpr auto& m = cell<gated_by_three, hidden>;
  auto live = stream<T>(m, bench::random_weights(m), {.capacity = {{B, 1}, {T, 1}}, .threads = 1});
  const xt::xtensor<float, 3> one{{{0.1f}}};
  [[maybe_unused]] volatile float heard = 0;
  for (int i = 0; i < count; ++i) heard = live.step("x"_in = one)["y"_out](0, 0, 0);
}

template <class format, int tokens>
void encode(int count) {
  constexpr auto& m = models::sentence_encoder<models::minilm>;
  auto net = compile<format>(m, bench::random_weights(m), {.capacity = {{B, 1}, {T, tokens}}, .threads = 1});
  const auto ids = xt::ones<std::int32_t>({1, tokens}) * 2000;
  const auto types = xt::zeros<std::int32_t>({1, tokens});
  const xt::xtensor<std::int32_t, 1> lengths{tokens};
  for (int i = 0; i < count; ++i) net("tokens"_in = ids, "types"_in = types, "lengths"_in = lengths);
}

/// Tokens of one text, from its beginning.
template <class format>
void token(int count) {
  constexpr auto& m = models::gpt2<models::gpt2_small>;
  auto live = stream<T, format>(m, bench::random_weights(m), {.capacity = {{B, 1}, {T, 256}}, .threads = 1});
  const xt::xtensor<int, 2> one{{7}};
  for (int i = 0; i < count; ++i) live.step("tokens"_in = one);
}

const std::map<std::string_view, void (*)(int count)> cases{
    {"gru/8", sample<true, 8>},
    {"gru/16", sample<true, 16>},
    {"gru/64", sample<true, 64>},
    {"lstm/8", sample<false, 8>},
    {"lstm/16", sample<false, 16>},
    {"lstm/64", sample<false, 64>},
    {"minilm/1x32", encode<f32, 32>},
    {"minilm/1x128", encode<f32, 128>},
    {"minilm-int8/1x32", encode<integer_products<int8>, 32>},
    {"gpt2/f32", token<f32>},
    {"gpt2/q8_0", token<integer_products<q8_0>>},
};

} // namespace

int main(int count, char** words) try {
  const auto found = cases.find(count == 3 ? words[1] : "");
  if (found == cases.end()) return 2;
  found->second(std::atoi(words[2]));
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s: %s\n", words[0], e.what());
  return 1;
}
