#include "run_model.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

template <int rows, int classes>
constexpr auto cross_entropies = model("cross_entropies", [](graph& g) {
  const expr logits = g.input<f32>("logits", {rows, classes}), targets = g.input<i32>("targets", {rows});
  constexpr double smoothing = rows == 9 ? 0.1 : 0;
  g.output("loss", cross_entropy(logits, targets, {.smoothing = smoothing}));
  g.output("sum", cross_entropy(logits, targets, {.smoothing = smoothing, .average = false}));
});

/// Losses that are a line each.
constexpr auto others = model("others", [](graph& g) {
  const expr a = g.input<f32>("a", {5, 8}), b = g.input<f32>("b", {5, 8});
  const auto mean_of = [](expr x) { return mean(mean(x, axis(1)), axis(0)); };
  const expr d = abs(a - b), y = to_float(b > 0), p = softmax(b);
  g.output("mse", mse(a, b));
  g.output("l1", mean_of(d));
  g.output("huber", mean_of(where(d < 1, d * d / 2, d - 0.5)));
  g.output("bce_logits", mean_of(relu(a) - a * y + softplus(-abs(a))));
  g.output("kl", sum(sum(p * (log_softmax(b) - log_softmax(a)), axis(1)), axis(0)) / 5);
});

template <class M>
void check_losses(const M& m, const char* name) {
  const golden_case c(name);
  on_both_backends([&](auto backend) {
    for (const auto& [output, values] : run_model<decltype(backend)>(m, weights::from({}), inputs_of(c)))
      check(c, output == "loss" ? output : "output." + output, std::span<const double>(values.values),
            values.shape);
  });
}

} // namespace

TEST_CASE("cross entropy agrees with PyTorch's, with rows that do not count and smoothed targets", "[loss]") {
  check_losses(cross_entropies<6, 10>, "cross_entropy_plain");
  check_losses(cross_entropies<9, 12>, "cross_entropy_ignore_smooth");
}

TEST_CASE("squared, absolute, Huber, binary and relative-entropy losses agree with PyTorch's", "[loss]") {
  check_losses(others, "other_losses");
}
