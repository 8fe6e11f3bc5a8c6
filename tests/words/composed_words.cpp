// Words made of others, each against its formula in double precision, on both backends, where formulas go
// wrong too: at magnitudes that overflow, near 0, at infinities. Their gradients at kinks are PyTorch's.

#include "../compare_backends.hpp"

#include <functional>

using namespace fovea;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double selu_scale = 1.0507009873554804934193349852946,
                 selu_alpha = 1.6732632423543772848170429916717;

golden_tensor tensor(std::vector<std::size_t> shape, std::vector<double> values, bool whole = false) {
  return {std::move(shape), std::move(values), whole};
}

template <class M>
void check_values(const M& model, const named_values& inputs,
                  const std::map<std::string, std::vector<double>>& expected) {
  on_both_backends([&](auto backend) {
    const named_values found = run_model<decltype(backend)>(model, model_weights::from({}), inputs);
    for (const auto& [name, values] : expected) {
      const std::vector<double>& own = found.at(name).values;
      REQUIRE(own.size() == values.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        INFO(name << ", element " << i << " is " << own[i] << ", expected " << values[i]);
        const bool both_nan = std::isnan(own[i]) && std::isnan(values[i]);
        CHECK((both_nan || own[i] == values[i] ||
               std::abs(own[i] - values[i]) <= 2e-6 * std::max(std::abs(values[i]), 1e-12)));
      }
    }
  });
}

std::vector<double> each(const std::vector<double>& x, const std::function<double(double)>& f) {
  std::vector<double> y;
  for (const double value : x) y.push_back(f(value));
  return y;
}

} // namespace

TEST_CASE("activations made of others lose nothing near 0 and overflow nowhere", "[words]") {
  const std::vector<double> x = {-1e30, -1000, -90, -20, -3.5, -1,   -1e-3, -1e-6,
                                 0,     1e-6,  0.5, 3,   7,    1000, 1e30};
  check_values(
      model("activations",
            [](graph& g) {
              const expr v = g.input<f32>("x", {"N"});
              g.output("elu", elu(v));
              g.output("elu_2", elu(v, 2));
              g.output("selu", selu(v));
              g.output("leaky_relu", leaky_relu(v));
              g.output("leaky_relu_2", leaky_relu(v, 0.25));
              g.output("hardsigmoid", hardsigmoid(v));
              g.output("hardswish", hardswish(v));
              g.output("clamp", clamp(v, -2, 0.75));
              g.output("clamp_turned", clamp(v, constant(v, 1), constant(v, -1)));
              g.output("mapped", map(v, [](scalar s) { return clamp(elu(s), -0.5, leaky_relu(s)); }));
            }),
      {{"x",
        tensor({x.size()}, each(x, [](double v) { return static_cast<double>(static_cast<float>(v)); }))}},
      {{"elu", each(x, [](double v) { return v > 0 ? v : std::expm1(v); })},
       {"elu_2", each(x, [](double v) { return v > 0 ? v : 2 * std::expm1(v); })},
       {"selu", each(x, [](double v) { return selu_scale * (v > 0 ? v : selu_alpha * std::expm1(v)); })},
       {"leaky_relu", each(x, [](double v) { return v > 0 ? v : 0.01 * v; })},
       {"leaky_relu_2", each(x, [](double v) { return v > 0 ? v : 0.25 * v; })},
       {"hardsigmoid", each(x, [](double v) { return std::min(std::max(v + 3, 0.0), 6.0) / 6; })},
       {"hardswish", each(x, [](double v) { return v * std::min(std::max(v + 3, 0.0), 6.0) / 6; })},
       {"clamp", each(x, [](double v) { return std::min(std::max(v, -2.0), 0.75); })},
       {"clamp_turned", each(x, [](double) { return -1.0; })},
       {"mapped", each(x, [](double v) {
          const double y = std::max(v > 0 ? v : std::expm1(v), -0.5);
          return std::min(y, v > 0 ? v : 0.01 * v);
        })}});
}

TEST_CASE("at kinks the gradients are PyTorch's", "[words]") {
  const std::vector<double> x = {-90, -2, -1, 0, 1, 2, 90}, ones(x.size(), 1);
  const auto of = [&](const auto& net, const std::vector<double>& expected) {
    check_values(gradients<true>(net), {{"x", tensor({x.size()}, x)}, {"d_y", tensor({x.size()}, ones)}},
                 {{"grad.input.x", expected}});
  };
  of(model("elu", [](graph& g) { g.output("y", elu(g.input<f32>("x", {"N"}))); }),
     {0, 1 - std::tanh(1.0) * 2 / (1 + std::tanh(1.0)), std::exp(-1.0), 1, 1, 1, 1});
  of(model("power_of_0",
           [](graph& g) {
             const expr base = g.input<f32>("x", {"N"});
             g.output("y", pow(base * base, base * 0.0));
           }),
     std::vector<double>(x.size(), 0.0));
  of(model("leaky_relu", [](graph& g) { g.output("y", leaky_relu(g.input<f32>("x", {"N"}), 0.25)); }),
     {0.25, 0.25, 0.25, 0.25, 1, 1, 1});
  of(model("clamp", [](graph& g) { g.output("y", clamp(g.input<f32>("x", {"N"}), -1, 1)); }),
     {0, 0, 1, 1, 1, 0, 0});
  of(model("selu", [](graph& g) { g.output("y", selu(g.input<f32>("x", {"N"}))); }),
     each(x, [](double v) { return selu_scale * (v > 0 ? 1 : selu_alpha * std::exp(v)); }));
  check_values(gradients<true>(model("hardsigmoid",
                                     [](graph& g) { g.output("y", hardsigmoid(g.input<f32>("x", {"N"}))); })),
               {{"x", tensor({5}, {-3, -2.5, 0, 3, 1e30})}, {"d_y", tensor({5}, {1, 1, 1, 1, 1})}},
               {{"grad.input.x", {0, 1 / 6.0, 1 / 6.0, 0, 0}}});
  check_values(gradients<true>(
                   model("hardswish", [](graph& g) { g.output("y", hardswish(g.input<f32>("x", {"N"}))); })),
               {{"x", tensor({4}, {-3, 0, 3, 1e30})}, {"d_y", tensor({4}, {1, 1, 1, 1})}},
               {{"grad.input.x", {0, 0.5, 1, 1}}});
  of(model("huber",
           [](graph& g) {
             const expr v = g.input<f32>("x", {"N"});
             g.output("y", huber(v, 0 * v, {.each = true}));
           }),
     {-1, -1, -1, 0, 1, 1, 1});
}

TEST_CASE("log_sum_exp and variance", "[words]") {
  const double most = 3e38f;
  const std::vector<double> x = {1000, 1000, -1000, 0,    0.5, -0.5, -infinity, -infinity, -infinity,
                                 -1e3, -1e3, -1e3,  most, 1,   2,    infinity,  1,         2};
  check_values(model("log_sum_exp",
                     [](graph& g) {
                       const expr v = g.input<f32>("x", {B, 3});
                       g.output("features", log_sum_exp(v, -1));
                       g.output("kept", log_sum_exp(v, 1, {.keep = true}));
                     }),
               {{"x", tensor({6, 3}, x)}},
               {{"features",
                 {1000 + std::log(2), std::log(1 + std::exp(0.5) + std::exp(-0.5)), -infinity,
                  -1e3 + std::log(3), most, infinity}},
                {"kept",
                 {1000 + std::log(2), std::log(1 + std::exp(0.5) + std::exp(-0.5)), -infinity,
                  -1e3 + std::log(3), most, infinity}}});
  // (1, 3), (1000000, 1000002): far from 0 the squares would cancel.
  static constexpr auto variances = model("variance", [](graph& g) {
    const expr v = g.input<f32>("x", {B, T, 2});
    g.output("features", variance(v, -1));
    g.output("themselves", variance(v, -1, {.correction = 0}));
    g.output("time", variance(v, T, {.keep = true}));
    g.output("corrected", variance(v, T, {.correction = 2}));
  });
  check_values(variances, {{"x", tensor({1, 3, 2}, {1, 3, 1000000, 1000002, 1000003, 1000003})}},
               {{"features", {2, 2, 0}},
                {"themselves", {1, 1, 0}},
                {"time", {333333666669, 333333000000.3333}},
                {"corrected", {2 * 333333666669, 2 * 333333000000.3333}}});
  // Of one element there is no estimate, as in PyTorch.
  check_values(variances, {{"x", tensor({1, 1, 2}, {1, 3})}}, {{"time", {NAN, NAN}}, {"features", {2}}});
}

TEST_CASE("one_hot, stack and roll", "[words]") {
  check_values(model("moves",
                     [](graph& g) {
                       const expr ids = g.input<i32>("ids", {T}), x = g.input<f32>("x", {T, 3});
                       g.output("one_hot", one_hot(ids, 4));
                       g.output("front", stack(0, x, x + 1));
                       g.output("middle", stack(1, x, x + 1));
                       g.output("back", stack(-1, ids, ids + 1, ids * 2));
                       g.output("alone", stack(0, ids));
                       g.output("later", roll(x, T, 1));
                       g.output("sooner", roll(x, 0, -1));
                       g.output("features", roll(x, -1, 4));
                       g.output("round", roll(x, -1, -3));
                     }),
               {{"ids", tensor({2}, {3, 7}, true)}, {"x", tensor({2, 3}, {1, 2, 3, 4, 5, 6})}},
               {{"one_hot", {0, 0, 0, 1, 0, 0, 0, 0}},
                {"front", {1, 2, 3, 4, 5, 6, 2, 3, 4, 5, 6, 7}},
                {"middle", {1, 2, 3, 2, 3, 4, 4, 5, 6, 5, 6, 7}},
                {"back", {3, 4, 6, 7, 8, 14}},
                {"alone", {3, 7}},
                {"later", {4, 5, 6, 1, 2, 3}},
                {"sooner", {4, 5, 6, 1, 2, 3}},
                {"features", {3, 1, 2, 6, 4, 5}},
                {"round", {1, 2, 3, 4, 5, 6}}});
}

TEST_CASE("losses made of others keep their digits where a target is certain", "[words][loss]") {
  const std::vector<double> x = {-1000, -30, -1, 0, 30, 1000}, y = {0, 0, 1, 0.25, 1, 0};
  std::vector<double> binary, far;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto softplus_of = [](double v) { return std::max(v, 0.0) + std::log1p(std::exp(-std::abs(v))); };
    binary.push_back(y[i] * softplus_of(-x[i]) + (1 - y[i]) * softplus_of(x[i]));
    const double d = std::abs(x[i] - y[i]);
    far.push_back(d <= 0.5 ? d * d / 2 : 0.5 * (d - 0.25));
  }
  double binary_sum = 0, far_sum = 0;
  for (const double loss : binary) binary_sum += loss;
  for (const double loss : far) far_sum += loss;
  check_values(model("losses",
                     [](graph& g) {
                       const expr a = g.input<f32>("a", {B, 3}), b = g.input<f32>("b", {B, 3});
                       g.output("binary", binary_cross_entropy(a, b, {.each = true}));
                       g.output("binary_mean", binary_cross_entropy(a, b));
                       g.output("binary_sum", binary_cross_entropy(a, b, {.average = false}));
                       g.output("huber", huber(a, b, {.delta = 0.5, .each = true}));
                       g.output("huber_mean", huber(a, b, {.delta = 0.5}));
                       g.output("huber_sum", huber(a, b, {.delta = 0.5, .average = false}));
                     }),
               {{"a", tensor({2, 3}, x)}, {"b", tensor({2, 3}, y)}},
               {{"binary", binary},
                {"binary_mean", {binary_sum / 6}},
                {"binary_sum", {binary_sum}},
                {"huber", far},
                {"huber_mean", {far_sum / 6}},
                {"huber_sum", {far_sum}}});
  // What is impossible by both adds nothing, and learns nothing.
  static constexpr auto relative = model("relative", [](graph& g) {
    g.output("y", kl_divergence(g.input<f32>("q", {B, 3}), g.input<f32>("p", {B, 3}), {.each = true}));
  });
  const golden_tensor log_q = tensor({2, 3}, {-infinity, std::log(0.5f), std::log(0.5f), -1, -2, -3}),
                      p = tensor({2, 3}, {0, 0.25, 0.75, 1, 0, 0});
  const std::vector<double> expected = {0.25 * std::log(0.5) + 0.75 * std::log(1.5), 1};
  check_values(relative, {{"q", log_q}, {"p", p}}, {{"y", expected}});
  check_values(gradients<true>(relative), {{"q", log_q}, {"p", p}, {"d_y", tensor({2}, {1, 1})}},
               {{"grad.input.q", {0, -0.25, -0.75, -1, 0, 0}}});
  check_values(model("relative_mean",
                     [](graph& g) {
                       g.output("y", kl_divergence(g.input<f32>("q", {B, 3}), g.input<f32>("p", {B, 3})));
                     }),
               {{"q", log_q}, {"p", p}}, {{"y", {(expected[0] + expected[1]) / 2}}});
}
