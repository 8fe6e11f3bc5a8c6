// Each allocation of what compiles, streams and trains finds no memory: what makes a model says so by an
// error that names it, what is called by std::bad_alloc, and then goes on as if it had not been called.

#include "../file_content.hpp"
#include "../weights/temporary_folder.hpp"
#include "each_allocation.hpp"

#include <fovea/fovea.hpp>
#include <fovea/runtime/training/initialise.hpp>

#include <catch2/catch.hpp>

#include <optional>
#include <string>
#include <vector>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr auto filter = model("filter", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 4});
  const expr h = gru(conv1d(x, "conv", 4, 3, {.padding = causal}), "rnn", 4);
  g.output("y", h + attention(h, h, h, {.heads = 2, .mask = causal}));
});
constexpr auto regression = model("regression", [](graph& g) {
  const expr x = g.input<f32>("x", {B, 3}), y = g.input<f32>("y", {B, 2});
  g.output("loss", mse(linear(tanh(linear(x, "hidden", 5)), "out", 2), y));
});

const model_weights& weights_of_filter() {
  static const model_weights made = initial_weights(filter, 1);
  return made;
}
const model_weights& weights_of_regression() {
  static const model_weights made = initial_weights(regression, 1);
  return made;
}
const compile_options large_model{.capacity = {{B, 2}, {T, 8}}, .regime = regime::large, .threads = 2};
const train_options learning{.capacity = {{B, 4}}, .threads = 1, .seed = 3};

const xt::xtensor<float, 3>& some() {
  static const xt::xtensor<float, 3> made = 0.25f * xt::ones<float>({2, 8, 4});
  return made;
}
struct batch {
  xt::xtensor<float, 2> x = 0.5f * xt::ones<float>({4, 3}), y = 0.25f * xt::ones<float>({4, 2});
};
const batch& lesson() {
  static const batch made;
  return made;
}

auto named(const std::string& name) {
  return [name](const std::string& said, bool all_after) {
    if (all_after && said.empty()) return; // not enough for a sentence either
    CHECK(said.starts_with(name + ": there is not enough memory for the model and its capacity"));
  };
}
void nothing_said(const std::string& said, bool) { CHECK(said.empty()); }

template <class tensor>
std::vector<float> values_of(const tensor& from) {
  return {from.begin(), from.end()};
}

std::vector<float> learned(const model_weights& from) {
  std::vector<float> all;
  for (const auto& [name, tensor] : from.tensors()) {
    const auto* values = reinterpret_cast<const float*>(tensor.bytes.data());
    all.insert(all.end(), values, values + tensor.bytes.size() / sizeof(float));
  }
  return all;
}

} // namespace

TEST_CASE("memory runs out while a model is compiled") {
  each_allocation_fails(
      "compile", [] { compile(filter, weights_of_filter(), large_model); }, named("filter"));
  each_allocation_fails(
      "reference", [] { compile<reference>(filter, weights_of_filter(), large_model); }, named("filter"));
  each_allocation_fails(
      "q8_0", [] { compile<int8>(filter, weights_of_filter(), large_model); }, named("filter"));
  each_allocation_fails(
      "stream", [] { stream<T>(filter, weights_of_filter(), large_model); }, named("filter"));
  each_allocation_fails(
      "train", [] { train(regression, adam{}, weights_of_regression(), learning); }, named("regression"));
}

TEST_CASE("memory runs out in a call, and the next one is as if it had not") {
  auto net = compile(filter, weights_of_filter(), large_model);
  const std::vector<float> expected = values_of(net("x"_in = some())["y"_out]);
  each_allocation_fails(
      "call", [&] { net("x"_in = some()); }, nothing_said);
  CHECK(values_of(net("x"_in = some())["y"_out]) == expected);

  auto specified = compile<reference>(filter, weights_of_filter(), large_model);
  const std::vector<float> specified_before = values_of(specified("x"_in = some())["y"_out]);
  each_allocation_fails(
      "reference", [&] { specified("x"_in = some()); }, nothing_said);
  CHECK(values_of(specified("x"_in = some())["y"_out]) == specified_before);

  auto live = stream<T>(filter, weights_of_filter(), large_model);
  const std::vector<float> first = values_of(live.step("x"_in = some())["y"_out]);
  each_allocation_fails(
      "stream",
      [&] {
        live.begin();
        live.step("x"_in = some());
      },
      nothing_said);
  live.begin();
  CHECK(values_of(live.step("x"_in = some())["y"_out]) == first);
}

TEST_CASE("memory runs out in a step of training: it has not been, or has been whole") {
  const batch& b = lesson();
  auto reference_run = train(regression, adam{.rate = 1e-2}, weights_of_regression(), learning);
  std::vector<std::vector<float>> after{learned(reference_run.weights())};
  for (int i = 0; i < 3; ++i) {
    reference_run.step("x"_in = b.x, "y"_in = b.y);
    after.push_back(learned(reference_run.weights()));
  }
  bool struck = true;
  for (long number = 0; struck; ++number) {
    auto fit = train(regression, adam{.rate = 1e-2}, weights_of_regression(), learning);
    bool refused = false;
    {
      const failing_allocations now(number);
      try {
        fit.step("x"_in = b.x, "y"_in = b.y);
      } catch (const std::bad_alloc&) {
        refused = true;
      }
      struck = failing_allocations::have_struck();
    }
    CHECK(learned(fit.weights()) == after[refused ? 0 : 1]);
    for (int i = refused ? 0 : 1; i < 3; ++i) fit.step("x"_in = b.x, "y"_in = b.y);
    CHECK(learned(fit.weights()) == after[3]);
    if (!struck) CHECK_FALSE(refused);
  }
}

TEST_CASE("memory runs out while a checkpoint is written and read") {
  const temporary_folder folder;
  const batch& b = lesson();
  const auto path = folder.write("x", "");
  auto fit = train(regression, adam{.rate = 1e-2}, weights_of_regression(), learning);
  fit.step("x"_in = b.x, "y"_in = b.y);
  each_allocation_fails(
      "save",
      [&] {
        ::truncate(path.c_str(), 0); // the older file, made without memory
        fit.save(path, {});
      },
      [&](const std::string& said, bool) {
        CHECK(said.empty());
        CHECK(content(path).empty());
        CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
      });
  const std::vector<float> saved = learned(fit.weights());

  auto other = train(regression, adam{.rate = 1e-2}, weights_of_regression(), learning);
  const std::vector<float> before = learned(other.weights());
  bool has_resumed = false;
  each_allocation_fails(
      "resume",
      [&] {
        other.resume(path);
        has_resumed = true;
      },
      [&](const std::string& said, bool all_after) {
        CHECK(learned(other.weights()) == saved); // resumed once before
        if (all_after && said.empty()) return;
        CHECK(said.starts_with(path.string() + ": there is not enough memory to read its "));
      });
  CHECK(has_resumed);
  CHECK(learned(other.weights()) == saved);
  CHECK(before != saved);
  // What was refused has changed nothing.
  for (long number = 0;; ++number) {
    auto fresh = train(regression, adam{.rate = 1e-2}, weights_of_regression(), learning);
    bool refused = false, struck = false;
    {
      const failing_allocations now(number);
      try {
        fresh.resume(path);
      } catch (const error&) {
        refused = true;
      }
      struck = failing_allocations::have_struck();
    }
    CHECK(learned(fresh.weights()) == (refused ? before : saved));
    CHECK(fresh.steps() == (refused ? 0 : 1));
    if (!struck) break;
  }
}
