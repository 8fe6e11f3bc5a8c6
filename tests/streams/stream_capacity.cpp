// Capacity only bounds the sizes of a stream: with an axis behind time that is below it, what the stream keeps lies as
// if there were no more room.

#include "stream_rows_case.hpp"

#include <type_traits>
#include <vector>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

constexpr auto seen = model("seen", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, S, 2});
  g.output("y", conv2d(pad(x, T, 2, 0), "a", 4, {3, 1}));
});
/// Windows of several sizes, read by windows, copied, and in layers.
constexpr auto mixed = model("mixed", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, S, 2});
  expr h = relu(conv2d(pad(pad(x, T, 2, 0), axis(2), 1, 1), "a", 2, {3, 3}));
  h = repeat("h", 2, h, [](expr y) { return y + conv2d(pad(y, T, 1, 0), "c", 2, {2, 1}); });
  g.output("y", h - pad(slice(x, axis(1), 0, -1), axis(1), 1, 0, 0.5));
  g.output("pooled", max_pool(pad(h, T, 1, 0), pool_window(2, 2), {.stride = {1, 2}}));
});
using mixed_model = std::remove_const_t<decltype(mixed)>;
/// The axis lies before time.
constexpr auto planes = model("planes", [](graph& g) {
  const expr x = g.input<f32>("x", {B, S, T, 2});
  g.output("y", conv2d(pad(x, T, 2, 0), "a", 3, {1, 3}));
});

template <class M>
void check(const M& m) {
  for (const std::size_t rows : {1u, 2u})
    check_stream<T>(m, random_inputs(m, {{"B", rows}, {"T", 9}, {"S", 8}}), random_weights(m), 2e-5, {},
                    {{S, 16}});
  check_rows<T>(m, random_inputs(m, {{"B", 3}, {"T", 20}, {"S", 8}}), random_weights(m), {},
                {{B, 4}, {S, 16}});
}

} // namespace

TEST_CASE("an axis of what a stream keeps may be below its capacity", "[stream]") {
  check(seen);
  check(mixed);
  check(planes);
}

TEST_CASE("each begin of a stream may have sizes of its own", "[stream]") {
  const model_weights weights = random_weights(mixed);
  auto live = stream<T>(mixed, weights, {.capacity = {{B, 2}, {T, 3}, {S, 16}}, .threads = 1});
  const std::vector<std::size_t> steps(80, 1); // windows come to the end of their memory
  for (const std::size_t size : {16u, 8u, 5u, 16u}) {
    INFO("S = " << size);
    const named_values inputs = random_inputs(mixed, {{"B", 2}, {"T", 80}, {"S", size}});
    live.begin();
    check_steps<mixed_model, T>(live, inputs, run_model<f32>(mixed, weights, inputs), steps);
  }
}

TEST_CASE("a state is of the sizes that it was saved at", "[stream]") {
  const model_weights weights = random_weights(mixed);
  auto live = stream<T>(mixed, weights, {.capacity = {{B, 2}, {T, 3}, {S, 16}}, .threads = 1});
  const auto check_step = [&](std::size_t size, std::size_t at) {
    const named_values inputs = random_inputs(mixed, {{"B", 2}, {"T", 9}, {"S", size}}),
                       whole = run_model<f32>(mixed, weights, inputs);
    for (const auto& [name, values] :
         test::detail::step<mixed_model, T>(live, part_of_inputs<mixed_model, T>(inputs, at, 3, 9)))
      test::detail::check_close(values, test::detail::part_of(whole.at(name), 1, at, 3, 9));
  };
  check_step(8, 0);
  const stream_state saved = live.save();
  live.begin();
  check_step(16, 0);
  check_step(16, 3);
  live.load(saved);
  check_step(8, 3);
  check_step(8, 6);
}
