// Attention of many queries in formats whose products round: by integers where the set has them, near that of float32;
// of fewer queries, and of lambdas, it is float32's.

#include "../compare_backends.hpp"
#include "../each_format.hpp"
#include "../streams/stream_case.hpp"

#include <fovea/runtime/describe/explain.hpp>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr void attend(graph& g, attention_options o) {
  const expr q = g.input<f32>("q", {B, T, 4 * 32}), k = g.input<f32>("k", {B, T, 2 * 32}),
             v = g.input<f32>("v", {B, T, 2 * 64});
  o.heads = 4, o.kv_heads = 2;
  g.output("y", attention(q, k, v, o));
}
constexpr auto encodes =
    model("encodes", [](graph& g) { attend(g, {.mask = padding(g.input<i32>("lengths", {B}))}); });
constexpr auto generates = model("generates", [](graph& g) { attend(g, {.mask = causal}); });
constexpr auto in_window = model("in_window", [](graph& g) { attend(g, {.mask = window(50)}); });
constexpr auto by_distance =
    model("by_distance", [](graph& g) { attend(g, {.score = alibi(4), .mask = causal}); });

named_values inputs_of(std::size_t batch, std::size_t length) {
  return {{"q", values_of({batch, length, 4 * 32}, false, "q")},
          {"k", values_of({batch, length, 2 * 32}, false, "k")},
          {"v", values_of({batch, length, 2 * 64}, false, "v")}};
}

const model_weights none = model_weights::from({});

template <class format, class M>
std::string kernel_of(const M& model, std::int64_t length) {
  named_values inputs = inputs_of(1, static_cast<std::size_t>(length));
  auto net = compile<format>(model, none, {.capacity = {{B, 1}, {T, 200}}});
  call_model(model, net, inputs);
  return explain(net).steps.at(0).kernel;
}

/// The most that two differ by.
double apart(const named_values& x, const named_values& y) {
  const std::vector<double>&a = x.at("y").values, &b = y.at("y").values;
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    most = std::isnan(a[i]) ? HUGE_VAL : std::max(most, std::abs(a[i] - b[i]));
  return most;
}

template <class M>
void check_near(const M& model, const named_values& inputs) {
  const named_values exact = run_model<f32>(model, none, inputs);
  for_rounding_formats([&]<class type>(type, auto) {
    INFO(instruction_set() << ", " << model.name << ", " << name_of(format_named<type>));
    const named_values found = run_model<type>(model, none, inputs);
    CHECK(apart(found, exact) < 2e-3);
    CHECK(found.at("y").values == run_model<type>(model, none, inputs, 3).at("y").values);
  });
}

} // namespace

TEST_CASE("attention of many queries is near float32's in formats that round", "[attention]") {
  for (const std::size_t length : {127u, 128u, 131u, 300u}) {
    named_values inputs = inputs_of(3, length);
    check_near(generates, inputs);
    check_near(in_window, inputs);
    inputs["lengths"] = {{3}, {static_cast<double>(length), 1, static_cast<double>(length - 2)}, true};
    check_near(encodes, inputs);
  }
}

TEST_CASE("attention is by integers from 128 queries on, where the set multiplies them", "[attention]") {
  const bool has = simd::kernel_in_use<simd::kernel_name::rounded_attention>().run != nullptr;
  const std::string many = has ? "rounded_attention" : "attention";
  CHECK(kernel_of<integer_products<q8_0>>(generates, 128) == many);
  CHECK(kernel_of<integer_products<int8>>(generates, 200) == many);
  CHECK(kernel_of<bf16_products>(generates, 128) == many);
  CHECK(kernel_of<integer_products<q8_0>>(generates, 127) == "attention");
  CHECK(kernel_of<q8_0>(generates, 200) == "attention");
  CHECK(kernel_of<f32>(generates, 200) == "attention");
  CHECK(kernel_of<bf16_products>(by_distance, 200) == kernel_of<f32>(by_distance, 200));
}

TEST_CASE("lambdas have the attention of float32 in every format", "[attention]") {
  const named_values inputs = inputs_of(2, 150), exact = run_model<f32>(by_distance, none, inputs);
  for_rounding_formats([&]<class type>(type, auto) {
    CHECK(run_model<type>(by_distance, none, inputs).at("y").values == exact.at("y").values);
  });
}

TEST_CASE("long prompts of a stream in a format that rounds are near the whole sequence", "[attention]") {
  const named_values inputs = inputs_of(1, 700);
  const std::vector<std::size_t> steps{1, 30, 450, 3, 1, 215};
  const auto check = [&](const auto& model) {
    using M = std::remove_cvref_t<decltype(model)>;
    const named_values whole = run_model<f32>(model, none, inputs);
    for (const int threads : {1, 3})
      for (const cache_format cache : {cache_format(), cache_format(f16{}), cache_format(q8_0{})}) {
        auto live = stream<T, integer_products<int8>>(
            model, none, {.capacity = {{B, 1}, {T, 700}}, .threads = threads, .cache = cache});
        check_steps<M, T>(live, inputs, whole, steps, cache.format == format_named<q8_0> ? 2e-2 : 4e-3);
      }
  };
  check(generates);
  check(in_window);
}
