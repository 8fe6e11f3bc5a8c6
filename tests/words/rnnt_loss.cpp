#include "../training/gradient_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

constexpr dim B{"B"}, T{"T"}, S{"S"};

constexpr auto strings = model("strings", [](graph& g) {
  const expr logits = g.input<f32>("logits", {B, T, S + 1, 5}), labels = g.input<i32>("labels", {B, S}),
             lengths = g.input<i32>("input_lengths", {B});
  g.output("row_losses", rnnt_loss(logits, labels, {.lengths = lengths, .each = true}));
  g.output("loss", rnnt_loss(logits, labels, {.lengths = lengths, .average = false}));
});

/// Without lengths, and with another blank.
template <int blank, int classes>
constexpr auto whole = model("whole", [](graph& g) {
  const expr logits = g.input<f32>("logits", {B, T, S + 1, classes}), labels = g.input<i32>("labels", {B, S});
  g.output("each", rnnt_loss(logits, labels, {.blank = blank, .each = true}));
  g.output("mean", rnnt_loss(logits, labels, {.blank = blank}));
});

/// The probability of going on from a frame and a place to the end, each way by itself.
class alignments {
public:
  alignments(const golden_tensor& logits, std::size_t row, std::vector<std::size_t> labels, std::size_t blank)
      : logits_(logits), row_(row), labels_(std::move(labels)), blank_(blank) {}

  double from(std::size_t frame, std::size_t place) const {
    if (frame == logits_.shape[1]) return place == labels_.size() ? 1 : 0;
    double all = probability(frame, place, blank_) * from(frame + 1, place);
    if (place < labels_.size()) all += probability(frame, place, labels_[place]) * from(frame, place + 1);
    return all;
  }

private:
  double probability(std::size_t frame, std::size_t place, std::size_t of) const {
    const std::size_t classes = logits_.shape[3];
    const double* x =
        logits_.values.data() + ((row_ * logits_.shape[1] + frame) * logits_.shape[2] + place) * classes;
    double sum = 0;
    for (std::size_t k = 0; k < classes; ++k) sum += std::exp(x[k]);
    return std::exp(x[of]) / sum;
  }

  const golden_tensor& logits_;
  std::size_t row_;
  std::vector<std::size_t> labels_;
  std::size_t blank_;
};

template <int blank, int classes>
void check_by_alignments(std::size_t frames, const std::vector<std::vector<std::size_t>>& rows) {
  golden_tensor labels{{rows.size(), 3}, std::vector<double>(rows.size() * 3, blank), true};
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy(rows[i].begin(), rows[i].end(), labels.values.begin() + static_cast<std::ptrdiff_t>(3 * i));
  const golden_tensor logits = values_of({rows.size(), frames, 4, classes}, false, "logits");
  on_both_backends([&](auto backend) {
    const named_values found = run_model<decltype(backend)>(whole<blank, classes>, model_weights::from({}),
                                                            {{"logits", logits}, {"labels", labels}});
    double sum = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      INFO("row " << i << " of " << frames << " frames");
      const double expected = -std::log(alignments(logits, i, rows[i], blank).from(0, 0));
      CHECK(found.at("each").values[i] == Approx(expected).epsilon(1e-5));
      sum += expected;
    }
    CHECK(found.at("mean").values[0] == Approx(sum / static_cast<double>(rows.size())).epsilon(1e-5));
  });
}

constexpr auto learned = model("learned", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 3}), y = g.input<f32>("y", {B, S + 1, 3});
  const expr labels = argmax(g.input<f32>("labels", {B, S, 4}), axis(2));
  const expr joint = unsqueeze(linear(x, "frames", 7), 2) + unsqueeze(linear(y, "places", 7), 1);
  g.output("loss", rnnt_loss(8 * linear(tanh(joint), "out", 4), labels));
});

} // namespace

TEST_CASE("a transducer's loss agrees with the forward variables of Graves", "[rnnt]") {
  check_case(strings, "today/rnnt_loss");
}

TEST_CASE("a transducer's loss adds up all alignments", "[rnnt]") {
  for (const std::size_t frames : {1u, 2u, 5u}) {
    check_by_alignments<0, 4>(frames, {{1, 2, 3}, {2, 2}, {}, {3}, {1, 1, 1}, {1, 3, 1}});
    check_by_alignments<2, 3>(frames, {{0, 1}, {0, 0}, {1}, {}, {1, 0, 1}});
  }
}

TEST_CASE("without frames nothing is said", "[rnnt]") {
  const named_values inputs{{"logits", values_of({2, 3, 2, 5}, false, "logits")},
                            {"labels", {{2, 1}, {4, 0}, true}},
                            {"input_lengths", {{2}, {0, 0}, true}}};
  on_both_backends([&](auto backend) {
    const named_values found = run_model<decltype(backend)>(strings, model_weights::from({}), inputs);
    CHECK(found.at("row_losses").values == std::vector<double>{std::numeric_limits<double>::infinity(), 0});
    CHECK(found.at("loss").values[0] == 0);
  });
}

TEST_CASE("a transducer's gradient is that of difference quotients", "[rnnt]") {
  check_difference_quotients(learned, {{"B", 2}, {"T", 5}, {"S", 3}});
}

TEST_CASE("a transducer's loss over many frames and labels, against the reference", "[rnnt]") {
  compare(learned, {{"B", 2}, {"T", 150}, {"S", 61}});
}

TEST_CASE("a label that is no class is refused by name", "[rnnt]") {
  const named_values inputs{{"logits", values_of({1, 4, 3, 4}, false, "logits")},
                            {"labels", {{1, 2}, {1, 4}, true}}};
  CHECK_THROWS_WITH((run_model<f32>(whole<0, 4>, model_weights::from({}), inputs)),
                    Catch::Contains("input \"labels\" [B, S]: labels[0, 1] is 4, expected 0 to 3"));
}
