// Training against PyTorch's traces, on both backends, and what training promises: resumed equals
// uninterrupted, threads change nothing, what is not finite changes nothing.

#include "../compare_backends.hpp"

#include <filesystem>
#include <limits>

using namespace fovea;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"};

// The network of the optimiser cases: tanh between two layers, the mean cross-entropy.
constexpr auto network = model("network", [](graph& g) {
  const expr h = tanh(linear(g.input<f32>("x", {B, 6}), "l1", 10));
  g.output("loss", cross_entropy(linear(h, "l2", 4), g.input<i32>("targets", {B})));
});

template <class backend, class optimizer>
void follow(const golden_case& c, const optimizer& how, const train_options& options) {
  auto fit = train<backend>(network, how, weights_of(c), options);
  const auto x = floats<2>(c, "x");
  const auto targets = integers<1>(c, "targets");
  for (int step = 1; c.has("trace_loss." + std::to_string(step)); ++step) {
    const std::string number = std::to_string(step);
    INFO("step " << number);
    const training_step done = fit.step("x"_in = x, "targets"_in = targets);
    CHECK(done.step == step);
    const auto loss = static_cast<double>(done.loss);
    check(c, "trace_loss." + number, std::span<const double>(&loss, 1), {});
    if (c.has("trace_norm." + number))
      check(c, "trace_norm." + number, std::span<const double>(&done.gradient_norm, 1), {});
    const model_weights now = fit.weights();
    for (const auto& [name, tensor] : now.tensors()) {
      const std::span values(reinterpret_cast<const float*>(tensor.bytes.data()), tensor.bytes.size() / 4);
      check(c, "trace." + number + "." + name, values, tensor.shape);
    }
  }
}

template <class optimizer>
void follow(const char* name, const optimizer& how, train_options options = {}) {
  const golden_case c(name);
  options.capacity = {{B, 8}};
  on_both_backends([&](auto backend) { follow<decltype(backend)>(c, how, options); });
}

} // namespace

TEST_CASE("optimizers follow PyTorch's", "[training]") {
  follow("optimiser_sgd", sgd{.rate = 0.1});
  follow("optimiser_sgd_weight_decay", sgd{.rate = 0.1, .weight_decay = 0.01});
  follow("optimiser_momentum", sgd{.rate = 0.05, .momentum = 0.9});
  follow("optimiser_nesterov", sgd{.rate = 0.05, .momentum = 0.9, .nesterov = true});
  follow("optimiser_adagrad", adagrad{.rate = 0.1});
  follow("optimiser_rmsprop", rmsprop{.rate = 0.01});
  follow("optimiser_adam", adam{.rate = 0.01});
  follow("optimiser_adam_weight_decay", adam{.rate = 0.01, .weight_decay = 0.1});
  follow("optimiser_adamw", adamw{.rate = 0.01, .weight_decay = 0.1});
  follow("optimiser_adam_noam_clip", adam{.rate = 1, .beta2 = 0.98, .epsilon = 1e-9},
         {.schedule = noam_schedule({.width = 10, .warmup = 40}), .clip = 0.5});
}

TEST_CASE("Adam's first step is its rate, whatever the moments keep", "[training]") {
  const double beta1 = GENERATE(0.0, 0.9, 0.99999), beta2 = GENERATE(0.5, 0.999, 0.99999, 0.9999999);
  for (const auto rule : {core::reference::update, core::simd::backend::update}) {
    const float gradient = -0.5f;
    float value = 0, mean = 0, squares = 0;
    adam{.rate = 0.01, .beta1 = beta1, .beta2 = beta2}.update(
        {.count = 1, .values = &value, .gradients = &gradient, .moments = {&mean, &squares}, .apply = *rule});
    CHECK(value == Approx(0.01).epsilon(1e-6));
  }
}

TEST_CASE("what is frozen counts for no norm", "[training]") {
  const golden_case c("optimiser_sgd");
  const auto x = floats<2>(c, "x");
  const auto targets = integers<1>(c, "targets");
  const auto norm_without = [&](const std::vector<parameter_group>& groups) {
    auto fit = train(network, sgd{.rate = 0.1}, weights_of(c), {.capacity = {{B, 8}}, .groups = groups});
    return fit.step("x"_in = x, "targets"_in = targets).gradient_norm;
  };
  const double all = norm_without({}), first = norm_without({{"l2.*", 0}}),
               second = norm_without({{"l1.*", 0}});
  CHECK(first > 0);
  CHECK(second > 0);
  CHECK(all * all == Approx(first * first + second * second));
  CHECK(norm_without({{"*", 0}}) == 0);
}

TEST_CASE("schedules agree with the papers' formulas", "[training]") {
  const auto check_schedule = [](const char* name, const rate_schedule& factor) {
    const golden_case c(name);
    std::vector<double> factors;
    for (const double step : c.at("input.steps").values)
      factors.push_back(factor(static_cast<std::int64_t>(step)));
    check(c, "output.factor", std::span<const double>(factors), c.at("output.factor").shape);
  };
  check_schedule("schedule_noam", noam_schedule({.width = 512, .warmup = 4000}));
  check_schedule("schedule_cosine", cosine_schedule({.total = 10000, .warmup = 400, .floor = 0.1}));
  check_schedule("schedule_linear", linear_schedule({.total = 10000, .warmup = 400}));
  const rate_schedule steps = step_schedule({.every = 3, .factor = 0.5});
  CHECK(steps(3) == 1);
  CHECK(steps(4) == 0.5);
  CHECK(steps(7) == 0.25);
}

// The gradients are the inputs with the other sign, so that one step of rate 1 adds them to the parameters.
TEST_CASE("all gradients together are clipped to a norm", "[training]") {
  static constexpr auto given = model("given", [](graph& g) {
    const expr a = g.input<f32>("g0", {4, 5}), b = g.input<f32>("g1", {5}), c = g.input<f32>("g2", {3, 2, 2});
    const auto share = [](expr gradient, expr parameter) {
      expr s = gradient * parameter;
      while (s.rank() > 0) s = sum(s, axis(0));
      return s;
    };
    g.output("loss", -(share(a, parameter(a, "p0", {4, 5})) + share(b, parameter(b, "p1", {5})) +
                       share(c, parameter(c, "p2", {3, 2, 2}))));
  });
  const golden_case c("clipping_active");
  const model_weights zeros = model_weights::from({{"p0", {{4, 5}, std::vector<float>(20)}},
                                                   {"p1", {{5}, std::vector<float>(5)}},
                                                   {"p2", {{3, 2, 2}, std::vector<float>(12)}}});
  auto fit = train(given, sgd{.rate = 1}, zeros, {.clip = 1});
  const training_step done =
      fit.step("g0"_in = floats<2>(c, "g0"), "g1"_in = floats<1>(c, "g1"), "g2"_in = floats<3>(c, "g2"));
  check(c, "output.norm", std::span<const double>(&done.gradient_norm, 1), {});
  const model_weights now = fit.weights();
  for (const auto& [name, tensor] : now.tensors()) {
    const std::span values(reinterpret_cast<const float*>(tensor.bytes.data()), tensor.bytes.size() / 4);
    check(c, "output.clipped" + name.substr(1), values, tensor.shape);
  }
}

TEST_CASE("gradients are clipped each to a value, then together to a norm", "[training]") {
  static constexpr auto given = model("given", [](graph& g) {
    g.output("loss", -sum(g.input<f32>("d", {5}) * parameter(g.input<f32>("e", {5}), "p", {5}), 0));
  });
  const model_weights zeros = model_weights::from({{"p", {{5}, std::vector<float>(5)}}});
  const xt::xtensor<float, 1> d{-3, -0.5f, 0, 0.25f, 7}, twice = 2 * d, e = d;
  const auto learned = [&](train_options options, int calls, double norm) {
    auto fit = train(given, sgd{.rate = 1}, zeros, options);
    training_step done = fit.step("d"_in = d, "e"_in = e);
    if (calls == 2) done = fit.step("d"_in = twice, "e"_in = e);
    CHECK(done.updated);
    CHECK(done.gradient_norm == Approx(norm));
    return values_of(fit.weights()).at("p");
  };
  const double norm = std::sqrt(4 + 0.25 + 0.0625 + 4);
  CHECK(learned({.clip_value = 2}, 1, norm) == std::vector<float>{-2, -0.5f, 0, 0.25f, 2});
  const std::vector<float> both = learned({.clip = 1, .clip_value = 2}, 1, norm);
  CHECK(both[0] == Approx(-2 / norm));
  CHECK(both[1] == Approx(-0.5 / norm));
  // The mean of two calls.
  CHECK(learned({.accumulate = 2, .clip_value = 2}, 2, std::sqrt(4 + 0.5625 + 0.140625 + 4)) ==
        std::vector<float>{-2, -0.75f, 0, 0.375f, 2});
  CHECK_THROWS_WITH(train(given, sgd{}, zeros, {.clip_value = -1}),
                    "train: expected to clip at a value of at least 0, found -1.000000");
}

namespace {

inline constexpr dim T{"T"};

// A small language model with depth, time, attention and a table that is used twice.
constexpr auto language = model("language", [](graph& g) {
  const expr ids = g.input<i32>("ids", {B, T}), table = parameter(ids, "table", {7, 12}, init::normal(0.1));
  expr x = repeat("h", 2, gather(table, ids), [](expr y) {
    y = y +
        attention(linear(y, "q", 12), linear(y, "k", 12), linear(y, "v", 12), {.heads = 3, .mask = causal});
    return y + linear(gelu(linear(layer_norm(y, "norm"), "up", 24)), "down", 12);
  });
  x = gru(x, "rnn", 12);
  g.output("loss", cross_entropy(matmul(x, transpose(table)), g.input<i32>("targets", {B, T})));
});

xt::xtensor<std::int32_t, 2> tokens(std::size_t rows, std::size_t columns, int first) {
  xt::xtensor<std::int32_t, 2> made({rows, columns});
  int next = first;
  for (std::int32_t& x : made) x = (next = (next * 31 + 7) % 101) % 7;
  return made;
}

const train_options usual{.capacity = {{B, 3}, {T, 9}}, .clip = 1};

template <class trainer>
void learn(trainer& fit, int first, int last) {
  for (int i = first; i < last; ++i) fit.step("ids"_in = tokens(3, 9, i), "targets"_in = tokens(3, 9, i + 1));
}

} // namespace

TEST_CASE("a model learns what it is shown", "[training]") {
  auto fit = train(language, adamw{.rate = 1e-2}, initial_weights(language, 1), usual);
  const auto ids = tokens(3, 9, 5), targets = tokens(3, 9, 6);
  const float before = fit.step("ids"_in = ids, "targets"_in = targets).loss;
  for (int i = 0; i < 100; ++i) fit.step("ids"_in = ids, "targets"_in = targets);
  CHECK(before == Approx(std::log(7)).margin(0.5));
  const float after = fit.evaluate("ids"_in = ids, "targets"_in = targets)["loss"_out]();
  CHECK(after < 0.2 * before);
  // What was learned is what a model compiled from it computes.
  auto net = compile(language, fit.weights(), {.capacity = usual.capacity});
  CHECK(net("ids"_in = ids, "targets"_in = targets)["loss"_out]() == after);
}

TEST_CASE("resumed equals uninterrupted, bit for bit", "[training]") {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "fovea_resumed.safetensors";
  auto whole = train(language, adam{.rate = 1e-2}, initial_weights(language, 2), usual);
  learn(whole, 0, 12);
  {
    auto first = train(language, adam{.rate = 1e-2}, initial_weights(language, 2), usual);
    learn(first, 0, 5);
    first.save(path, {{"place", "5"}});
  }
  auto second = train(language, adam{.rate = 1e-2}, initial_weights(language, 3), usual);
  CHECK(second.resume(path).at("place") == "5");
  CHECK(second.steps() == 5);
  learn(second, 5, 12);
  CHECK(values_of(second.weights()) == values_of(whole.weights()));

  auto another = train(network, adam{}, initial_weights(network), {.capacity = {{B, 1}}});
  CHECK_THROWS_WITH(another.resume(path),
                    Catch::Contains("fovea_resumed.safetensors: expected the tensor l1.weight [10, 6]"));
  auto by_another = train(language, sgd{}, initial_weights(language), usual);
  CHECK_THROWS_WITH(by_another.resume(path),
                    path.string() + ": expected a checkpoint of sgd, found one of adam");
  std::filesystem::remove(path);
}

namespace {

// What is drawn and gathered while a model is trained.
constexpr auto thinned = model("thinned", [](graph& g) {
  const expr x = g.input<f32>("x", {B, 6});
  const expr h = repeat("h", 2, linear(x, "in", 8),
                        [](expr y) { return y + dropout(relu(batch_norm(linear(y, "a", 8), "norm")), 0.3); });
  g.output("loss", cross_entropy(linear(dropout(h, 0.5), "out", 4), g.input<i32>("targets", {B})));
});

} // namespace

TEST_CASE("what is drawn and gathered is the same for threads and after resuming", "[training]") {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "fovea_thinned.safetensors";
  const golden_case c("optimiser_sgd");
  const auto x = floats<2>(c, "x");
  const auto targets = integers<1>(c, "targets");
  const auto learn_from = [&](auto& fit, int count) {
    for (int i = 0; i < count; ++i) fit.step("x"_in = x, "targets"_in = targets);
  };
  train_options options{.capacity = {{B, 8}}, .regime = regime::large, .threads = 1, .seed = 5};
  const model_weights start = initial_weights(thinned, 1);
  auto whole = train(thinned, adam{.rate = 1e-2}, start, options);
  learn_from(whole, 6);
  const auto learned = values_of(whole.weights()), began = values_of(start);
  CHECK(learned.at("h.0.norm.running_mean") != began.at("h.0.norm.running_mean"));
  CHECK(learned.at("h.1.norm.running_var") != learned.at("h.0.norm.running_var"));

  options.threads = 3;
  auto first = train(thinned, adam{.rate = 1e-2}, start, options);
  learn_from(first, 2);
  first.save(path);
  auto second = train(thinned, adam{.rate = 1e-2}, start, options);
  second.resume(path);
  learn_from(second, 4);
  CHECK(values_of(second.weights()) == learned);

  options.seed = 6;
  auto drawn_anew = train(thinned, adam{.rate = 1e-2}, start, options);
  learn_from(drawn_anew, 6);
  CHECK(values_of(drawn_anew.weights()) != learned);
  // Outside training nothing is drawn, and the gathered statistics count.
  const float once = whole.evaluate("x"_in = x, "targets"_in = targets)["loss"_out]();
  CHECK(once == whole.evaluate("x"_in = x, "targets"_in = targets)["loss"_out]());
  auto net = compile(thinned, whole.weights(), {.capacity = {{B, 8}}});
  CHECK(net("x"_in = x, "targets"_in = targets)["loss"_out]() == once);
  std::filesystem::remove(path);
}

TEST_CASE("threads change nothing", "[training]") {
  train_options three = usual;
  three.threads = 3;
  three.regime = regime::large;
  train_options one = three;
  one.threads = 1;
  auto a = train(language, adamw{.rate = 1e-2}, initial_weights(language, 2), one);
  auto b = train(language, adamw{.rate = 1e-2}, initial_weights(language, 2), three);
  learn(a, 0, 4), learn(b, 0, 4);
  CHECK(values_of(a.weights()) == values_of(b.weights()));
}

TEST_CASE("gradients of several calls make one update", "[training]") {
  train_options twice = usual;
  twice.accumulate = 2;
  auto a = train(language, sgd{.rate = 0.1}, initial_weights(language, 2), twice);
  const auto ids = tokens(2, 9, 3), targets = tokens(2, 9, 4);
  const auto half = [](const auto& x, std::size_t row) {
    return xt::eval(xt::view(x, xt::range(row, row + 1)));
  };
  CHECK_FALSE(a.step("ids"_in = half(ids, 0), "targets"_in = half(targets, 0)).updated);
  const training_step done = a.step("ids"_in = half(ids, 1), "targets"_in = half(targets, 1));
  CHECK(done.updated);
  auto b = train(language, sgd{.rate = 0.1}, initial_weights(language, 2), usual);
  CHECK(done.loss == Approx(b.step("ids"_in = ids, "targets"_in = targets).loss));
  const auto together = values_of(b.weights());
  for (const auto& [name, values] : values_of(a.weights())) {
    INFO(name);
    for (std::size_t i = 0; i < values.size(); ++i)
      REQUIRE(values[i] == Approx(together.at(name)[i]).margin(1e-6));
  }
}

TEST_CASE("groups learn in ways of their own", "[training]") {
  train_options grouped = usual;
  grouped.groups = {{.names = "h.*.up.*", .rate = 0}, {.names = "*.bias", .weight_decay = 0}};
  const model_weights start = initial_weights(language, 2);
  auto fit = train(language, adamw{.rate = 1e-2}, start, grouped);
  learn(fit, 0, 2);
  const auto before = values_of(start), after = values_of(fit.weights());
  CHECK(after.at("h.1.up.weight") == before.at("h.1.up.weight"));
  CHECK(after.at("h.1.down.weight") != before.at("h.1.down.weight"));
  grouped.groups = {{.names = "nothing"}};
  CHECK_THROWS_WITH(train(language, adamw{}, start, grouped),
                    "train: the group \"nothing\" matches no parameter; the first is table");
}

TEST_CASE("what is not finite stops training and changes nothing", "[training]") {
  const golden_case c("optimiser_sgd");
  auto fit = train(network, sgd{.rate = 0.1}, weights_of(c), {.capacity = {{B, 8}}});
  auto x = floats<2>(c, "x");
  const auto before = values_of(fit.weights());
  for (const float sign : {1.0f, -1.0f}) {
    x(2, 1) = std::copysign(std::numeric_limits<float>::quiet_NaN(), sign);
    CHECK_THROWS_WITH(fit.step("x"_in = x, "targets"_in = integers<1>(c, "targets")),
                      "train: at step 1 the loss is nan and the gradient of l1.weight is not finite; the "
                      "parameters are as they were before it");
  }
  CHECK(values_of(fit.weights()) == before);
  CHECK(fit.steps() == 0);
}

TEST_CASE("a sum of calls that is not finite changes nothing", "[training]") {
  static constexpr auto scaled = model("scaled", [](graph& g) {
    const expr x = g.input<f32>("x", {B, 1});
    g.output("loss", mean(mean(x * parameter(x, "w", {1}), -1), 0));
  });
  const model_weights start = model_weights::from({{"w", {{1}, std::vector<float>{0.5f}}}});
  auto fit = train(scaled, sgd{.rate = 1}, start, {.capacity = {{B, 1}}, .accumulate = 2});
  const xt::xtensor<float, 2> x({1, 1}, 3e38f);
  CHECK_FALSE(fit.step("x"_in = x).updated);
  CHECK_THROWS_WITH(
      fit.step("x"_in = x),
      "train: at step 1 the sum of the calls' gradients is not finite; the parameters are as they "
      "were before it");
  CHECK(values_of(fit.weights()) == values_of(start));
}

TEST_CASE("statistics of a norm that is frozen stay as they are", "[training]") {
  const golden_case c("optimiser_sgd");
  train_options options{.capacity = {{B, 8}}};
  options.groups = {{.names = "h.*.norm.*", .rate = 0}};
  const model_weights start = initial_weights(thinned, 1);
  auto fit = train(thinned, adam{.rate = 1e-2}, start, options);
  fit.step("x"_in = floats<2>(c, "x"), "targets"_in = integers<1>(c, "targets"));
  const auto after = values_of(fit.weights()), before = values_of(start);
  for (const char* name : {"h.0.norm.running_mean", "h.1.norm.running_var", "h.0.norm.weight"})
    CHECK(after.at(name) == before.at(name));
  CHECK(after.at("h.0.a.weight") != before.at("h.0.a.weight"));
}

TEST_CASE("a parameter has no name of a checkpoint's other tensors", "[training]") {
  static constexpr auto reserved = model("reserved", [](graph& g) {
    const expr x = g.input<f32>("x", {B, 6});
    g.output("loss", mse(linear(x, "optimizer.first", 6), x));
  });
  const model_weights start = initial_weights(reserved, 1);
  CHECK_NOTHROW(compile(reserved, start, {.capacity = {{B, 1}}}));
  CHECK_THROWS_WITH(train(reserved, sgd{}, start, {.capacity = {{B, 1}}}),
                    Catch::Contains("the parameter optimizer.first.weight cannot be trained"));
}
