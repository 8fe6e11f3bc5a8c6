// What a loss says of targets outside its classes.

#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <fovea/fovea.hpp>

#include "../message_of.hpp"

using namespace fovea;
using namespace fovea::core;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr auto plain = model("plain", [](graph& g) {
  const expr logits = g.input<f32>("logits", {B, T, 5});
  g.output("loss", cross_entropy(logits, g.input<i32>("targets", {B, T})));
});

const xt::xtensor<float, 3> logits = xt::arange<float>(2 * 3 * 5).reshape({2, 3, 5}) * 0.25f;

template <class backend, class M>
std::string message_of_call(const M& of, const xt::xtensor<int, 2>& targets) {
  auto net = compile<backend>(of, model_weights::from({}), {.capacity = {{B, 2}, {T, 3}}});
  return message_of<error>([&] { net("logits"_in = logits, "targets"_in = targets); });
}

/// logits [B, T, 5] and targets of one more position, of which the first is not read.
constexpr auto sliced = model("sliced", [](graph& g) {
  const expr x = g.input<f32>("logits", {B, T, 5});
  const expr targets = slice(slice(g.input<i32>("targets", {B, T + 2}), T + 2, 0, -1), T + 1, 1, T + 1);
  g.output("loss", cross_entropy(reshape(x, {B * T, 5}), reshape(targets, {B * T})));
});

/// The first row of the targets is not read.
constexpr auto lower_rows = model("rows", [](graph& g) {
  const expr x = g.input<f32>("logits", {2, T, 5});
  g.output("loss", cross_entropy(x, slice(g.input<i32>("targets", {3, T}), axis(0), 1, 3)));
});

} // namespace

TEMPLATE_TEST_CASE("targets outside the classes are refused before anything runs", "", f32, reference) {
  CHECK(message_of_call<TestType>(plain, {{0, 4, -100}, {1, 2, 3}}) == "");
  CHECK(message_of_call<TestType>(plain, {{0, 4, -100}, {1, 5, 3}}) ==
        "plain: input \"targets\" [B, T]: targets[1, 1] is 5, expected 0 to 4, or -100 to ignore");
  CHECK(message_of_call<TestType>(plain, {{0, 4, -1}, {1, 5, 3}}) ==
        "plain: input \"targets\" [B, T]: targets[0, 2] is -1, expected 0 to 4, or -100 to ignore");
}

TEST_CASE("a class that is ignored needs no word of its own") {
  static constexpr auto of_zero = model("of_zero", [](graph& g) {
    const expr x = g.input<f32>("logits", {B, T, 5});
    g.output("loss", cross_entropy(x, g.input<i32>("targets", {B, T}), {.ignore = 0}));
  });
  CHECK(message_of_call<f32>(of_zero, {{0, 1, 4}, {0, 0, 0}}) == "");
  CHECK(message_of_call<f32>(of_zero, {{0, 1, 4}, {0, 0, -100}}) ==
        "of_zero: input \"targets\" [B, T]: targets[1, 2] is -100, expected 0 to 4");
}

TEMPLATE_TEST_CASE("of sliced targets only what the loss reads is held to the classes", "", f32, reference) {
  CHECK(message_of_call<TestType>(sliced, {{9, 0, 4, -100, 7}, {-1, 1, 2, 3, 99}}) == "");
  CHECK(message_of_call<TestType>(sliced, {{9, 0, 4, -100, 7}, {-1, 1, 2, 8, 99}}) ==
        "sliced: input \"targets\" [B, T + 2]: targets[1, 3] is 8, expected 0 to 4, or -100 to ignore");
  CHECK(message_of_call<TestType>(sliced, {{9, 5, 4, -100, 7}, {-1, 1, 2, 8, 99}}) ==
        "sliced: input \"targets\" [B, T + 2]: targets[0, 1] is 5, expected 0 to 4, or -100 to ignore");

  auto net = compile<TestType>(lower_rows, model_weights::from({}), {.capacity = {{T, 3}}});
  const auto call = [&](const xt::xtensor<int, 2>& targets) {
    return message_of<error>([&] { net("logits"_in = logits, "targets"_in = targets); });
  };
  CHECK(call({{9, 9, 9}, {0, 1, 2}, {4, 4, -100}}) == "");
  CHECK(call({{9, 9, 9}, {0, 1, 2}, {5, 4, -100}}) ==
        "rows: input \"targets\" [3, T]: targets[2, 0] is 5, expected 0 to 4, or -100 to ignore");
}

TEST_CASE("an input that is text and targets is held to both") {
  static constexpr auto text = model("text", [](graph& g) {
    const expr tokens = g.input<i32>("tokens", {B, T});
    const expr x = embedding(slice(tokens, T, 0, -1), "words", 7, 5);
    g.output("loss", cross_entropy(x, slice(tokens, T, 1, T)));
  });
  auto net = compile(text, initial_weights(text, 1), {.capacity = {{B, 1}, {T, 4}}});
  const auto call = [&](const xt::xtensor<int, 2>& tokens) {
    return message_of<error>([&] { net("tokens"_in = tokens); });
  };
  CHECK(call({{6, 4, 3, -100}}) == "");
  CHECK(call({{6, 5, 3, -100}}) ==
        "text: input \"tokens\" [B, T]: tokens[0, 1] is 5, expected 0 to 4, or -100 to ignore");
  CHECK(call({{7, 4, 3, -100}}) == "text: input \"tokens\" [B, T]: tokens[0, 0] is 7, expected 0 to 6");
}

TEMPLATE_TEST_CASE("a step of training refuses such targets and learns nothing", "", f32, reference) {
  static constexpr auto learned = model("learned", [](graph& g) {
    const expr x = linear(g.input<f32>("x", {B, 3}), "scores", 4);
    g.output("loss", cross_entropy(x, g.input<i32>("targets", {B})));
  });
  auto fit = train<TestType>(learned, sgd{.rate = 0.1}, initial_weights(learned, 1), {.capacity = {{B, 2}}});
  const xt::xtensor<float, 2> x = {{1, 2, 3}, {0, -1, 0.5f}};
  const xt::xtensor<int, 1> outside = {3, 4};
  const std::string expected =
      "learned: input \"targets\" [B]: targets[1] is 4, expected 0 to 3, or -100 to ignore";
  CHECK(message_of<error>([&] { fit.step("x"_in = x, "targets"_in = outside); }) == expected);
  CHECK(message_of<error>([&] { fit.evaluate("x"_in = x, "targets"_in = outside); }) == expected);
  CHECK(fit.steps() == 0);
  fit.step("x"_in = x, "targets"_in = xt::xtensor<int, 1>{3, -100});
  CHECK(fit.steps() == 1);
}

TEST_CASE("a stream refuses them where it takes them") {
  static constexpr auto streamed_beside = model("streamed", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 3}), classes = g.input<f32>("logits", {B, 5});
    g.output("y", x + unsqueeze(unsqueeze(cross_entropy(classes, g.input<i32>("targets", {B})), 0), 0));
  });
  auto live = stream<T>(streamed_beside, model_weights::from({}), {.capacity = {{B, 2}, {T, 1}}});
  const xt::xtensor<float, 2> classes = xt::ones<float>({2, 5});
  CHECK(message_of<error>([&] {
          live.begin("logits"_in = classes, "targets"_in = xt::xtensor<int, 1>{0, 8});
        }) == "streamed: input \"targets\" [B]: targets[1] is 8, expected 0 to 4, or -100 to ignore");
}

TEST_CASE("targets that a model computes are not refused: outside the classes they count, with a loss of 0") {
  static constexpr auto computed = model("computed", [](graph& g) {
    const expr x = g.input<f32>("logits", {B, T, 5}), targets = g.input<i32>("targets", {B, T}) + 1;
    g.output("loss", cross_entropy(x, targets));
    g.output("sum", cross_entropy(x, targets, {.average = false}));
  });
  const xt::xtensor<float, 3> equal = xt::ones<float>({1, 3, 5});
  const xt::xtensor<int, 2> targets = {{0, 4, -101}}; // 1, outside, ignored
  const float each = std::log(5.0f);
  auto fast = compile(computed, model_weights::from({}), {.capacity = {{B, 1}, {T, 3}}});
  auto plain_loops = compile<reference>(computed, model_weights::from({}), {.capacity = {{B, 1}, {T, 3}}});
  const auto a = fast("logits"_in = equal, "targets"_in = targets);
  const auto b = plain_loops("logits"_in = equal, "targets"_in = targets);
  CHECK(a["sum"_out]() == Approx(each));
  CHECK(b["sum"_out]() == Approx(each));
  CHECK(a["loss"_out]() == Approx(each / 2));
  CHECK(b["loss"_out]() == Approx(each / 2));
}
