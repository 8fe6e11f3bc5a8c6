// What a checkpoint keeps of training, what it refuses, and weights that begin from another model's.

#include "../compare_backends.hpp"
#include "../weights/temporary_folder.hpp"

#include <fovea/fovea.hpp>
#include <fovea/models/bert.hpp>
#include <fovea/runtime/training/initialise.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <string>

using namespace fovea;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"};

constexpr expr hidden(const expr& x) { return tanh(linear(x, "hidden", 5)); }
constexpr auto regression = model("regression", [](graph& g) {
  const expr x = g.input<f32>("x", {B, 3}), y = g.input<f32>("y", {B, 2});
  g.output("loss", mse(linear(dropout(hidden(x), 0.3), "out", 2), y));
});
constexpr auto classifier = model("classifier", [](graph& g) {
  g.output("logits", linear(hidden(g.input<f32>("x", {B, 3})), "head", 4));
});

struct batch {
  xt::xtensor<float, 2> x, y;
};
batch batch_of(int i) {
  batch made{xt::empty<float>({4, 3}), xt::empty<float>({4, 2})};
  for (std::size_t k = 0; k < 12; ++k)
    made.x.flat(k) = std::sin(static_cast<float>(k) + static_cast<float>(7 * i));
  for (std::size_t k = 0; k < 8; ++k)
    made.y.flat(k) = std::cos(static_cast<float>(k) - static_cast<float>(3 * i));
  return made;
}
template <class trainer>
training_step learn(trainer& fit, const batch& b) {
  return fit.step("x"_in = b.x, "y"_in = b.y);
}

train_options accumulating(int calls) { return {.capacity = {{B, 4}}, .accumulate = calls, .seed = 3}; }
const model_weights& start() {
  static const model_weights made = initial_weights(regression, 1);
  return made;
}

} // namespace

TEST_CASE("calls that have made no update yet are kept by a checkpoint", "[training]") {
  const temporary_folder folder;
  const auto path = folder / "pending.safetensors";
  auto whole = train(regression, adam{.rate = 1e-2}, start(), accumulating(4));
  for (int i = 0; i < 12; ++i) learn(whole, batch_of(i));
  auto first = train(regression, adam{.rate = 1e-2}, start(), accumulating(4));
  for (int i = 0; i < 6; ++i) learn(first, batch_of(i));
  first.save(path);
  auto second = train(regression, adam{.rate = 1e-2}, start(), accumulating(4));
  for (int i = 0; i < 3; ++i) learn(second, batch_of(40 + i)); // forgotten when it resumes
  second.resume(path);
  for (int i = 6; i < 12; ++i) learn(second, batch_of(i));
  CHECK(second.steps() == 3);
  CHECK(values_of(second.weights()) == values_of(whole.weights()));
  // As weights of a model the file is its parameters.
  CHECK_NOTHROW(train(regression, sgd{}, load_weights(path), accumulating(1)));

  auto fewer = train(regression, adam{}, start(), accumulating(2));
  CHECK_THROWS_WITH(fewer.resume(path), path.string() + ": was saved after 2 calls of an update; expected "
                                                        "fewer than the 2 that are accumulated");
  CHECK(fewer.steps() == 0);
}

TEST_CASE("what training had begun is forgotten when it resumes", "[training]") {
  const temporary_folder folder;
  const auto path = folder / "begun.safetensors";
  auto fit = train(regression, adam{}, start(), accumulating(4));
  fit.save(path);
  for (int i = 0; i < 2; ++i) learn(fit, batch_of(i));
  fit.resume(path);
  for (int i = 0; i < 3; ++i) CHECK_FALSE(learn(fit, batch_of(i)).updated);
  CHECK(learn(fit, batch_of(3)).updated);
}

TEST_CASE("a checkpoint tells its optimizer", "[training]") {
  const temporary_folder folder;
  const auto path = folder / "by_adamw.safetensors";
  train(regression, adamw{}, start(), accumulating(1)).save(path, {{"place", "5"}});
  auto fit = train(regression, adam{}, start(), accumulating(1));
  CHECK_THROWS_WITH(fit.resume(path), path.string() + ": expected a checkpoint of adam, found one of adamw");
  auto resumed = train(regression, adamw{}, start(), accumulating(1));
  CHECK(resumed.resume(path) == std::map<std::string, std::string>{{"place", "5"}});
  CHECK_THROWS_WITH(resumed.save(path, {{"step", "mine"}}),
                    path.string() + ": is not written, for training keeps a note \"step\" of its own");
}

TEST_CASE("a checkpoint that could not be read again is not written", "[training]") {
  const temporary_folder folder;
  const auto path = folder / "overflow.safetensors";
  auto fit = train(regression, sgd{.rate = 1e38}, start(), accumulating(1));
  fit.save(path);
  const batch wide{batch_of(1).x, batch_of(1).y * 1e3f};
  learn(fit, wide);
  CHECK_THROWS_WITH(fit.save(path), Catch::Contains(path.string() + ": is not written, for ") &&
                                        Catch::Contains("is not finite"));
  CHECK_NOTHROW(fit.resume(path)); // the last one stays good
  CHECK(values_of(fit.weights()) == values_of(start()));
}

TEST_CASE("a call that is not finite is told and left out", "[training]") {
  auto fit = train(regression, sgd{.rate = 0.1}, start(), accumulating(3)),
       without = train(regression, sgd{.rate = 0.1}, start(), accumulating(3));
  batch bad = batch_of(9);
  bad.x(2, 1) = std::numeric_limits<float>::quiet_NaN();
  for (int i = 0; i < 3; ++i) {
    if (i == 1)
      CHECK_THROWS_WITH(learn(fit, bad),
                        "train: at step 1, call 2 of 3, the loss is nan and the gradient of "
                        "hidden.weight is not finite; the parameters are as they were before it");
    learn(fit, batch_of(i)), learn(without, batch_of(i));
  }
  CHECK(fit.steps() == 1);
  CHECK(values_of(fit.weights()) == values_of(without.weights()));
}

TEST_CASE("rates that are none are refused", "[training]") {
  const auto made = [](double rate, train_options options) {
    options.capacity = {{B, 4}};
    auto fit = train(regression, sgd{.rate = rate}, start(), options);
    learn(fit, batch_of(0));
  };
  CHECK_THROWS_WITH(made(-1, {}), "train: expected a rate of at least 0, found -1.000000");
  CHECK_THROWS_WITH(made(std::nan(""), {}), "train: expected a rate of at least 0, found nan");
  CHECK_THROWS_WITH(made(1, {.clip = -1}),
                    "train: expected to clip at a norm of at least 0, found -1.000000");
  CHECK_THROWS_WITH(made(1, {.groups = {{.names = "*.bias", .rate = -2}}}),
                    "train: expected a rate of the group \"*.bias\" of at least 0, found -2.000000");
  CHECK_THROWS_WITH(
      made(1, {.schedule = [](std::int64_t) { return std::nan(""); }}),
      "train: at step 1 the schedule makes the rate nan; the parameters are as they were before it");
}

TEST_CASE("weights begin from another model's where they share a part", "[training]") {
  const auto from = values_of(start()), drawn = values_of(initial_weights(classifier, 7)),
             made = values_of(initial_weights(classifier, 7, start()));
  CHECK(made.size() == 4);
  CHECK(made.at("hidden.weight") == from.at("hidden.weight"));
  CHECK(made.at("hidden.bias") == from.at("hidden.bias"));
  CHECK(made.at("head.weight") == drawn.at("head.weight"));

  static constexpr auto wider = model("wider", [](graph& g) {
    g.output("y", linear(g.input<f32>("x", {B, 3}), "hidden", 6));
  });
  CHECK_THROWS_WITH(initial_weights(wider, 1, start()),
                    Catch::Contains("tensor 'hidden.weight': expected [6, 3]; found [5, 3]"));
  static constexpr auto other = model("other", [](graph& g) {
    g.output("y", linear(g.input<f32>("x", {B, 3}), "apart", 6));
  });
  CHECK_THROWS_WITH(initial_weights(other, 1, start()),
                    "initial weights: has no parameter of the model; the first is apart.bias");
}

TEST_CASE("a checkpoint of other names begins a model with a new output", "[training]") {
  constexpr models::bert_config sizes{
      .layers = 2, .heads = 4, .width = 32, .inner = 64, .vocab = 96, .context = 48};
  const auto& classes = models::bert_classifier<sizes, 5>;
  const golden_case c("hf_bert");
  const model_weights known = weights_of(c);
  const model_weights made = initial_weights(classes, 1, known);
  CHECK(values_of(made).contains("classifier.weight"));
  CHECK_NOTHROW(compile(classes, made, {.capacity = {{"B", 1}, {"T", 4}}}));
}
