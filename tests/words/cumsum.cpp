// cumsum: the reference by hand, the kernel against the reference, its gradient against difference quotients,
// streams against the whole sequence.

#include "../streams/last_case.hpp"
#include "../streams/stream_ahead_case.hpp"
#include "../streams/stream_rows_case.hpp"
#include "../training/gradient_case.hpp"

#include <fovea/runtime/describe/receptive_field.hpp>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr auto sums = model("sums", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 6});
  g.output("over_time", cumsum(x, T));
  g.output("over_features", cumsum(x, axis(-1)));
  g.output("over_rows", cumsum(x, axis(0)));
  g.output("wide", cumsum(linear(x, "wide", 67), T));
  g.output("of_one", cumsum(sum(x, axis(-1)), T));
  g.output("layers", repeat("layers", 2, x, [](expr z) { return cumsum(tanh(linear(z, "l", 6)), 1); }));
});

constexpr auto onward = model("onward", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 6}), h = tanh(linear(x, "h", 5));
  g.output("over_time", cumsum(x, T));
  g.output("over_features", cumsum(h, axis(-1)));
  g.output("layers", repeat("layers", 2, h, [](expr z) { return cumsum(tanh(linear(z, "l", 5)), 1); }));
  g.output("later", cumsum(slice(pad(x, T, 2, 0, 0.5), axis(1), 0, T), T));
});

/// Sums of what comes later wait for it.
constexpr auto ahead = model("ahead", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 6});
  g.output("sums", cumsum(conv1d(x, "c", 4, 3, {.padding = same}), T));
  g.output("layers", repeat("layers", 2, x,
                            [](expr z) { return cumsum(0.1 * conv1d(z, "c", 6, 3, {.padding = same}), 1); }));
});

} // namespace

TEST_CASE("cumsum sums up to each element, with itself", "[words]") {
  on_both_backends([](auto backend) {
    const auto net = model("by_hand", [](graph& g) {
      const expr x = g.input<f32>("x", {"N", 3});
      g.output("down", cumsum(x, axis(0)));
      g.output("along", cumsum(x, axis(1)));
    });
    const named_values found = run_model<decltype(backend)>(
        net, model_weights::from({}), {{"x", {{3, 3}, {1, 2, 3, 10, 20, 30, 100, 200, 300}, false}}});
    CHECK(found.at("down").values == std::vector<double>{1, 2, 3, 11, 22, 33, 111, 222, 333});
    CHECK(found.at("along").values == std::vector<double>{1, 3, 6, 10, 30, 60, 100, 300, 600});
  });
}

TEST_CASE("cumsum against the reference", "[words]") {
  compare_at_awkward_sizes(sums);
  compare(sums, {{"B", 2}, {"T", 3000}});
}

TEST_CASE("the gradient of cumsum", "[words]") { check_gradients_of_words(sums); }

TEST_CASE("a stream carries the sums on", "[words]") {
  check_stream<T>(onward, {{"B", 3}, {"T", 11}});
  check_rows<T>(onward, {{"B", 3}, {"T", 17}});
  check_last<T>(onward, {{"B", 3}, {"T", 11}});
  check_stream_ahead<T>(ahead, {{"B", 3}, {"T", 13}});
}

TEST_CASE("a sum along time has seen all before it, and nothing later", "[words]") {
  const auto fields = receptive_fields(decltype(sums)::view, T);
  CHECK(fields[static_cast<std::size_t>(decltype(sums)::view.outputs[0].node)].text() == "all past");
  CHECK(fields[static_cast<std::size_t>(decltype(sums)::view.outputs[1].node)].text() == "1");
}
