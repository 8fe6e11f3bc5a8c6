#include "../training/gradient_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

constexpr dim B{"B"}, T{"T"}, S{"S"};

constexpr auto strings = model("strings", [](graph& g) {
  const expr logits = g.input<f32>("logits", {B, T, 6}), labels = g.input<i32>("labels", {B, S}),
             lengths = g.input<i32>("input_lengths", {B});
  g.output("row_losses", ctc_loss(logits, labels, {.lengths = lengths, .each = true}));
  g.output("mean_loss", ctc_loss(logits, labels, {.lengths = lengths}));
  g.output("loss", ctc_loss(logits, labels, {.lengths = lengths, .average = false}));
});

/// Without lengths, and with another blank.
template <int blank, int classes>
constexpr auto whole = model("whole", [](graph& g) {
  const expr logits = g.input<f32>("logits", {B, T, classes});
  g.output("loss", ctc_loss(logits, g.input<i32>("labels", {B, S}), {.blank = blank, .each = true}));
});

/// -log of the added probabilities of all paths that say the labels.
double by_paths(const golden_tensor& logits, std::size_t row, const std::vector<int>& labels, int blank) {
  const std::size_t frames = logits.shape[1], classes = logits.shape[2];
  std::size_t count = 1;
  for (std::size_t t = 0; t < frames; ++t) count *= classes;
  double all = 0;
  for (std::size_t path = 0; path < count; ++path) {
    std::vector<int> said;
    double probability = 1;
    int before = blank;
    for (std::size_t t = 0, rest = path; t < frames; ++t, rest /= classes) {
      const auto at = static_cast<int>(rest % classes);
      const double* x = logits.values.data() + (row * frames + t) * classes;
      double sum = 0;
      for (std::size_t k = 0; k < classes; ++k) sum += std::exp(x[k]);
      probability *= std::exp(x[at]) / sum;
      if (at != blank && at != before) said.push_back(at);
      before = at;
    }
    if (said == labels) all += probability;
  }
  return -std::log(all);
}

template <int blank, int classes>
void check_by_paths(std::size_t frames, const std::vector<std::vector<int>>& rows) {
  golden_tensor labels{{rows.size(), 3}, std::vector<double>(rows.size() * 3, blank), true};
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy(rows[i].begin(), rows[i].end(), labels.values.begin() + static_cast<std::ptrdiff_t>(3 * i));
  const golden_tensor logits = values_of({rows.size(), frames, classes}, false, "logits");
  on_both_backends([&](auto backend) {
    const named_values found = run_model<decltype(backend)>(whole<blank, classes>, model_weights::from({}),
                                                            {{"logits", logits}, {"labels", labels}});
    for (std::size_t i = 0; i < rows.size(); ++i) {
      INFO("row " << i << " of " << frames << " frames");
      const double expected = by_paths(logits, i, rows[i], blank), is = found.at("loss").values[i];
      if (std::isinf(expected))
        CHECK(is == expected);
      else
        CHECK(is == Approx(expected).epsilon(1e-5));
    }
  });
}

} // namespace

TEST_CASE("CTC's loss agrees with PyTorch's, where some rows have too few frames", "[ctc]") {
  check_case(strings, "today/ctc_loss");
}

TEST_CASE("CTC's loss adds up all paths that say the labels", "[ctc]") {
  for (const std::size_t frames : {1u, 2u, 3u, 5u}) {
    check_by_paths<0, 4>(frames, {{1, 2, 3}, {2, 2}, {}, {3}, {1, 1, 1}, {1, 3, 1}});
    check_by_paths<2, 3>(frames, {{0, 1}, {0, 0}, {1}, {}, {1, 0, 1}});
  }
}

TEST_CASE("CTC's gradient is that of difference quotients", "[ctc]") {
  constexpr auto learned = model("learned", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 3});
    g.output("loss", ctc_loss(linear(x, "out", 4), argmax(g.input<f32>("y", {B, S, 4}), axis(2))));
  });
  check_difference_quotients(learned, {{"B", 2}, {"T", 7}, {"S", 2}});
}

TEST_CASE("a target that is no class is refused by name", "[ctc]") {
  const named_values inputs{{"logits", values_of({1, 4, 4}, false, "logits")},
                            {"labels", {{1, 2}, {1, 4}, true}}};
  CHECK_THROWS_WITH((run_model<f32>(whole<0, 4>, model_weights::from({}), inputs)),
                    Catch::Contains("input \"labels\" [B, S]: labels[0, 1] is 4, expected 0 to 3"));
}
