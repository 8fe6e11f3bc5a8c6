// Windows that are longer than a step: a stream has memory for the keys that they come to, not for those of one step.

#include "stream_case.hpp"

#include <initializer_list>
#include <vector>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};
inline constexpr int heads = 2, width = 32, seen = 1024;

constexpr void attend(graph& g, attention_options o) {
  const auto in = [&](const char* name) { return g.input<f32>(name, {B, T, heads * width}); };
  const expr q = in("q"), k = in("k"), v = in("v");
  o.heads = heads, o.mask = window(seen);
  g.output("y", attention(q, k, v, o));
}

constexpr auto far = model("far", [](graph& g) { attend(g, {}); });
constexpr auto by_distance = model("by_distance", [](graph& g) { attend(g, {.score = alibi(heads)}); });

/// Steps of at most so many positions, until a full window has moved on.
template <class format, class M>
void check_windows(const M& sees, std::initializer_list<std::int64_t> most_positions, double tolerance) {
  constexpr std::size_t length = seen + 176;
  named_values inputs;
  for (const char* name : {"q", "k", "v"}) inputs[name] = values_of({1, length, heads * width}, false, name);
  const model_weights none = model_weights::from({});
  const named_values whole = run_model<f32>(sees, none, inputs);
  for (const int threads : {1, 2})
    for (const std::int64_t most : most_positions) {
      INFO(threads << " threads, steps of " << most);
      const auto positions = static_cast<std::size_t>(most);
      std::vector<std::size_t> steps(length / positions, positions);
      if (length % positions > 0) steps.push_back(length % positions);
      auto live = stream<T, format>(sees, none, {.capacity = {{B, 1}, {T, most}}, .threads = threads});
      check_steps<M, T>(live, inputs, whole, steps, tolerance);
    }
}

} // namespace

TEST_CASE("a window may be longer than the steps of a stream", "[stream]") {
  check_windows<f32>(far, {1, 5, 128}, 2e-5);
  check_windows<f32>(by_distance, {3, 128}, 2e-5);
}

TEST_CASE("so it may where attention is by integers", "[stream]") {
  // 0.0025 is what tests of the kernel allow (backends/simd/rounded_attention.cpp).
  check_windows<integer_products<q8_0>>(far, {128}, 2.5e-3);
}
