#include "../run_model.hpp"

using namespace fovea;
using namespace fovea::core::test;

namespace {

template <int rows, int classes>
constexpr auto cross_entropies = model("cross_entropies", [](graph& g) {
  const expr logits = g.input<f32>("logits", {rows, classes}), targets = g.input<i32>("targets", {rows});
  constexpr double smoothing = rows == 9 ? 0.1 : 0;
  g.output("loss", cross_entropy(logits, targets, {.smoothing = smoothing}));
  g.output("sum", cross_entropy(logits, targets, {.smoothing = smoothing, .average = false}));
  g.output("row_losses", cross_entropy(logits, targets, {.smoothing = smoothing, .each = true}));
});

/// Losses that are a line each.
constexpr auto others = model("others", [](graph& g) {
  const expr a = g.input<f32>("a", {5, 8}), b = g.input<f32>("b", {5, 8});
  const auto mean_of = [](expr x) { return mean(mean(x, axis(1)), axis(0)); };
  const expr squared = mse(a, b), absolute = mean_of(abs(a - b)), near = huber(a, b),
             binary = binary_cross_entropy(a, to_float(b > 0)),
             relative = kl_divergence(log_softmax(a), softmax(b));
  g.output("mse", squared);
  g.output("l1", absolute);
  g.output("huber", near);
  g.output("bce_logits", binary);
  g.output("kl", relative);
  g.output("loss", squared + absolute + near + binary + relative);
});

} // namespace

TEST_CASE("cross entropy agrees with PyTorch's, with rows that do not count and smoothed targets", "[loss]") {
  check_case(cross_entropies<6, 10>, "cross_entropy_plain");
  check_case(cross_entropies<9, 12>, "cross_entropy_ignore_smooth");
}

TEST_CASE("squared, absolute, Huber, binary and relative-entropy losses agree with PyTorch's", "[loss]") {
  check_case(others, "other_losses");
}
