// Which encoder parallelises, and from which length on is another one faster? A recurrent, a convolutional
// and a self-attention encoder, each of 256 features in and out and of about a million parameters, take one
// sequence of T tokens.
//
//     families [--threads N] [--json FILE]
//
// A row is named after its family and T, and timed is a whole sequence.

#include "measure.hpp"
#include "program.hpp"
#include "random_weights.hpp"
#include <fovea/fovea.hpp>
#include <fovea/models/tcn.hpp>
#include <fovea/models/transformer.hpp>
#include <string>

namespace {

using namespace fovea;
using namespace fovea::core;

inline constexpr dim B{"B"}, T{"T"};
constexpr int width = 256, longest = 4096;

constexpr auto recurrent = model("recurrent", [](graph& g) {
  g.output("y", lstm(g.input<f32>("x", {B, T, width}), "rnn", width, {.layers = 2}));
});

// Eight convolutions, the last of which sees 31 tokens.
constexpr auto convolutional = model("convolutional", [](graph& g) {
  const models::tcn_config c{.blocks = 4, .in = width, .channels = width, .width = 2};
  g.output("y", models::tcn_stack(g.input<f32>("x", {B, T, width}), c));
});

constexpr auto self_attention = model("self-attention", [](graph& g) {
  const models::transformer_block_config c{.heads = 4, .width = width, .inner = 2 * width};
  g.output("y", models::stacked(g.input<f32>("x", {B, T, width}), 2, false, c,
                                [&](expr x) { return models::encoder_block(x, {}, c); }));
});

constexpr bool nearly_equal(std::int64_t a, std::int64_t b) {
  return 100 * a <= 102 * b && 100 * b <= 102 * a;
}
static_assert(nearly_equal(recurrent.parameters(), convolutional.parameters()));
static_assert(nearly_equal(recurrent.parameters(), self_attention.parameters()));
static_assert(nearly_equal(convolutional.parameters(), self_attention.parameters()));

template <class M>
void time(const M& m, bench::report& rows) {
  auto net =
      compile(m, bench::random_weights(m), {.capacity = {{B, 1}, {T, longest}}, .threads = rows.threads});
  for (std::size_t steps = 16; steps <= longest; steps *= 2) {
    xt::xtensor<float, 3> x({1, steps, width});
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>(i % 17) * 0.1f - 0.8f;
    const auto call = [&] { net("x"_in = x); };
    call();
    // A third of a second each, for then the shortest are timed a thousand times and the longest a few times.
    bench::timings us = bench::times_us(2, call);
    us.take(static_cast<int>(3e5 / us.best()) + 1, call);
    const auto flops = static_cast<double>(M::flops({{B, 1}, {T, static_cast<std::int64_t>(steps)}}));
    rows.add("families/" + std::string(m.name) + "/" + std::to_string(steps), us, bench::demand{flops / 2});
  }
}

} // namespace

int main(int argc, char** argv) {
  return bench::run("Times a recurrent, a convolutional and a self-attention encoder of one size.", argc,
                    argv, [](bench::report& rows) {
                      time(recurrent, rows);
                      time(convolutional, rows);
                      time(self_attention, rows);
                    });
}
