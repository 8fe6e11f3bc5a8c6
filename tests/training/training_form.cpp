// What models compute only while they are trained: batch_norm by the statistics of the batch, dropout.

#include "gradient_case.hpp"

using namespace fovea;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

constexpr name_rule norm_names[] = {{"norm.weight", "weight"},
                                    {"norm.bias", "bias"},
                                    {"norm.running_mean", "running_mean"},
                                    {"norm.running_var", "running_var"},
                                    {"", "num_batches_tracked", naming::ignored}};

template <class M>
void check_batch_norm(const M& m, const char* name) {
  const golden_case c(name);
  check_gradients<true>(m, c, weights_of(c), inputs_of(c));
  on_both_backends([&](auto backend) {
    const named_values found =
        run_model<decltype(backend)>(gradients<false, true>(m), weights_of(c), inputs_of(c));
    for (const std::string statistic : {"running_mean", "running_var"})
      check(c, "output." + statistic, std::span<const double>(found.at("new.norm." + statistic).values),
            c.at("output." + statistic).shape);
  });
}

template <class M>
void check_training_gradients(const M& m) {
  check_difference_quotients<true>(m, {{"B", 1}, {"T", 1}, {"S", 1}});
  check_difference_quotients<true>(m, {{"B", 3}, {"T", 7}, {"S", 5}});
  compare_at_awkward_sizes(gradients<true, true>(m));
}

constexpr auto norms = model("norms", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 6});
  const expr y =
      repeat("layer", 3, x, [](expr h) { return h + tanh(batch_norm(linear(h, "in", 6), "norm")); });
  g.output("y", batch_norm(y, "last", {.momentum = 0.25}));
});

constexpr auto thinned = model("thinned", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 6});
  const expr y =
      repeat("layer", 2, x, [](expr h) { return h + dropout(linear(dropout(h, 0.3), "in", 6), 0.5); });
  const expr start = mean(y, T);
  g.output("y", scan(y, start, [](expr now, expr s) {
                  const expr next = repeat(
                      "deep", 2, s, [&](expr u) { return dropout(tanh(linear(u, "turn", 6) + now), 0.4); });
                  return scan_step{dropout(next, 0.2), next};
                }).output);
  g.output("stacked", lstm(y, "rnn", 4, {.layers = 2, .dropout = 0.5}));
});

constexpr auto attended = model("attended", [](graph& g) {
  const expr q = g.input<f32>("q", {B, T, 8}), k = g.input<f32>("k", {B, S, 8}),
             v = g.input<f32>("v", {B, S, 12});
  const expr narrow = slice(k, axis(-1), 0, 4), few = slice(v, axis(-1), 0, 6);
  g.output("plain", attention(q, k, v, {.heads = 2, .dropout = 0.3}));
  g.output("grouped", attention(q, narrow, few, {.heads = 4, .kv_heads = 2, .dropout = 0.3}));
  g.output("masked", attention(q, q, q, {.heads = 4, .mask = causal, .dropout = 0.5}));
  g.output("network", attention(q, k, v, {.score = additive("additive", 5), .dropout = 0.3}));
  g.output("local", attention(q, k, v, {.mode = local_p("local", 3, 2), .dropout = 0.3}));
});

/// Ones go in.
constexpr auto counted = model("counted", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 16});
  g.output("once", dropout(x, 0.25));
  g.output("again", dropout(x, 0.25));
  g.output("layers", repeat("layer", 2, x, [](expr y) { return dropout(y, 0.5); }));
  g.output("steps", scan(x, mean(x, T), [](expr now, expr s) {
                      return scan_step{dropout(now, 0.5), s};
                    }).output);
});

const named_values ones{{"x", {{20, 30, 16}, std::vector<double>(20 * 30 * 16, 1.0), false}}};

template <class backend>
named_values drawn(std::uint64_t seed, std::uint64_t step, int threads = 1) {
  constexpr auto net = gradients<false, true>(counted);
  named_values inputs = ones;
  for (const char* name : {"d_once", "d_again", "d_layers", "d_steps"}) inputs[name] = ones.at("x");
  auto made =
      compile<backend>(net, model_weights::from({}), {.capacity = {{B, 20}, {T, 30}}, .threads = threads});
  made.set_random(seed, step);
  return call_model(net, made, inputs);
}

/// The share of elements that are `value`.
double share_of(const golden_tensor& x, double value) {
  const auto n = std::count(x.values.begin(), x.values.end(), value);
  return static_cast<double>(n) / static_cast<double>(x.values.size());
}

} // namespace

TEST_CASE("batch_norm by the statistics of the batch agrees with PyTorch's", "[training]") {
  check_batch_norm(model(
                       "batch_norm",
                       [](graph& g) {
                         g.output("y", batch_norm(g.input<f32>("x", {B, 12}), "norm"));
                       },
                       norm_names),
                   "batch_norm1d_train");
  check_batch_norm(model(
                       "batch_norm",
                       [](graph& g) {
                         const expr x = permute(g.input<f32>("x", {B, 6, "H", "W"}), {0, 2, 3, 1});
                         g.output("y", permute(batch_norm(x, "norm"), {0, 3, 1, 2}));
                       },
                       norm_names),
                   "batch_norm2d_train");
}

TEST_CASE("a layer's batch_norm has statistics of its own", "[training]") {
  check_training_gradients(norms);
  using G = std::remove_cvref_t<decltype(gradients<false, true>(norms))>;
  STATIC_REQUIRE(G::view.outputs.size() ==
                 1 + 4 + 6); // 2 statistics of each norm; what is learned of 3 words
  STATIC_REQUIRE(G::new_value_of(0) == -1);
  STATIC_REQUIRE(G::new_value_of(4) == 1); // layer.*.norm.running_mean
  STATIC_REQUIRE(G::output_of(4) == -1);
}

TEST_CASE("gradients through dropout", "[training]") {
  check_training_gradients(thinned);
  check_training_gradients(attended);
}

TEST_CASE("dropout leaves out its share, otherwise in each word, layer, step of time and of training",
          "[training]") {
  const named_values first = drawn<f32>(1, 7);
  const golden_tensor &once = first.at("once"), &steps = first.at("steps");
  CHECK(share_of(once, 0) == Approx(0.25).margin(0.02));
  CHECK(share_of(once, 0) + share_of(once, static_cast<float>(1 / 0.75)) == 1);
  CHECK(share_of(first.at("layers"), 4) == Approx(0.25).margin(0.02));
  CHECK(once.values != first.at("again").values);
  std::size_t equal = 0; // elements of a step that are as in the step before
  for (std::size_t i = 16; i < steps.values.size(); ++i) equal += steps.values[i] == steps.values[i - 16];
  CHECK(static_cast<double>(equal) / static_cast<double>(steps.values.size()) == Approx(0.5).margin(0.02));
  for (const named_values& other : {drawn<f32>(1, 8), drawn<f32>(2, 7)})
    for (const char* name : {"once", "again", "layers", "steps"})
      CHECK(other.at(name).values != first.at(name).values);
}

TEST_CASE("what dropout leaves out depends on seed and step alone", "[training]") {
  const named_values first = drawn<f32>(1, 7);
  for (const named_values& other : {drawn<f32>(1, 7), drawn<f32>(1, 7, 3), drawn<reference>(1, 7)})
    for (const char* name : {"once", "again", "layers", "steps"})
      CHECK(other.at(name).values == first.at(name).values);
}

TEST_CASE("outside training dropout does nothing", "[training]") {
  compare(attended, {{"B", 3}, {"T", 7}, {"S", 5}});
  on_both_backends([&](auto backend) {
    for (const auto& [name, values] : run_model<decltype(backend)>(counted, model_weights::from({}), ones))
      CHECK(values.values == ones.at("x").values);
  });
}
