// Keys and values that a stream keeps in f16, bf16 and q8_0. Of numbers that all of these hold exactly a stream gives what
// it gives of float32; of others it is as near as the format's rounding.

#include "stream_rows_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};
inline constexpr int heads = 4, kv_heads = 2, key_width = 64, value_width = 32;

constexpr void attend(graph& g, attention_options o) {
  const expr q = g.input<f32>("q", {B, T, heads * key_width}),
             k = g.input<f32>("k", {B, T, kv_heads * key_width}),
             v = g.input<f32>("v", {B, T, kv_heads * value_width});
  o.heads = heads, o.kv_heads = kv_heads;
  g.output("y", attention(q, k, v, o));
}

constexpr auto over_all = model("attends", [](graph& g) { attend(g, {.mask = causal}); });
constexpr auto over_window = model("sees_five", [](graph& g) { attend(g, {.mask = window(5)}); });
constexpr auto by_distance =
    model("by_distance", [](graph& g) { attend(g, {.score = alibi(heads), .mask = causal}); });

/// Whole thirty-seconds of -127 to 127, the largest among each 32 of them.
golden_tensor on_grid(const std::vector<std::size_t>& shape, const std::string& name) {
  golden_tensor made = values_of(shape, false, name);
  for (std::size_t i = 0; i < made.values.size(); ++i)
    made.values[i] =
        i % 32 == 7 ? 127 / 32.0 : std::round(std::clamp(made.values[i] * 32, -127.0, 127.0)) / 32;
  return made;
}

named_values inputs_on_grid(std::size_t batch, std::size_t length) {
  return {{"q", values_of({batch, length, heads * key_width}, false, "q")},
          {"k", on_grid({batch, length, kv_heads * key_width}, "k")},
          {"v", on_grid({batch, length, kv_heads * value_width}, "v")}};
}

template <class F>
void for_formats(const F& f) {
  for (const cache_format each : {cache_format(f16{}), cache_format(bf16{}), cache_format(q8_0{})}) {
    INFO(name_of(each.format));
    f(each);
  }
}

} // namespace

TEST_CASE("a stream of what a format holds exactly is that of float32", "[stream]") {
  const named_values inputs = inputs_on_grid(2, 9);
  const model_weights none = model_weights::from({});
  for_formats([&](cache_format format) {
    check_stream<T>(over_all, inputs, none, 2e-5, format);
    check_stream<T>(over_window, inputs, none, 2e-5, format);
    check_stream<T>(by_distance, inputs, none, 2e-5, format);
  });
}

TEST_CASE("rows of such a stream go at their own pace", "[stream]") {
  const named_values inputs = inputs_on_grid(3, 20);
  const model_weights none = model_weights::from({});
  for_formats([&](cache_format format) {
    check_rows<T>(over_all, inputs, none, format);
    check_rows<T>(over_window, inputs, none, format);
  });
}

TEST_CASE("long prompts read a cache as a few queries do", "[stream]") {
  const std::size_t length = 1400;
  const named_values inputs = inputs_on_grid(1, length);
  const model_weights none = model_weights::from({});
  const named_values whole = run_model<f32>(over_all, none, inputs);
  const std::vector<std::size_t> steps{1, 30, 1050, 200, 3, 1, 40, 75};
  for_formats([&](cache_format format) {
    for (const int threads : {1, 2}) {
      auto live =
          stream<T>(over_all, none, {.capacity = {{B, 1}, {T, 1400}}, .threads = threads, .cache = format});
      using M = std::remove_cvref_t<decltype(over_all)>;
      check_steps<M, T>(live, inputs, whole, steps);
    }
  });
}

TEST_CASE("what a format makes of other numbers is as near as it rounds", "[stream]") {
  named_values inputs = inputs_on_grid(1, 200);
  inputs["k"] = values_of({1, 200, kv_heads * key_width}, false, "k");
  inputs["v"] = values_of({1, 200, kv_heads * value_width}, false, "v");
  const model_weights none = model_weights::from({});
  const named_values whole = run_model<f32>(over_all, none, inputs);
  using M = std::remove_cvref_t<decltype(over_all)>;
  for_formats([&](cache_format format) {
    auto live = stream<T>(over_all, none, {.capacity = {{B, 1}, {T, 200}}, .cache = format});
    const golden_tensor found = core::test::detail::step<M, T>(live, inputs).at("y");
    double worst = 0;
    for (std::size_t i = 0; i < found.values.size(); ++i)
      worst = std::max(worst, std::abs(found.values[i] - whole.at("y").values[i]));
    CHECK(worst > 0);
    CHECK(worst < (format.format == format_named<f16> ? 2e-3 : 2e-2));
  });
}

TEST_CASE("a state goes on in a stream of its format, and is refused by another", "[stream]") {
  const named_values inputs = inputs_on_grid(1, 9);
  using M = std::remove_cvref_t<decltype(over_all)>;
  const auto live_in = [](cache_format format) {
    return stream<T>(over_all, model_weights::from({}), {.capacity = {{B, 1}, {T, 9}}, .cache = format});
  };
  auto halves = live_in(f16{}), floats = live_in({});
  core::test::detail::step<M, T>(halves, part_of_inputs<M, T>(inputs, 0, 4, 9));
  const stream_state saved = halves.save();
  CHECK(2 * saved.values.size() == floats.save().values.size());
  const char* message = "attends: stream: expected a state whose keys and values are kept in f32, found f16";
  CHECK_THROWS_WITH(floats.load(saved), message);
  CHECK_THROWS_WITH(floats.load(0, halves.save(0)), message);
}

TEST_CASE("heads that a format does not fit are refused by their width", "[stream]") {
  constexpr auto narrow = model("narrow", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 48});
    g.output("y", attention(x, x, x, {.heads = 2, .mask = causal}));
  });
  CHECK_NOTHROW(stream<T>(narrow, model_weights::from({}), {.capacity = {{B, 1}, {T, 9}}, .cache = f16{}}));
  CHECK_THROWS_WITH(
      stream<T>(narrow, model_weights::from({}), {.capacity = {{B, 1}, {T, 9}}, .cache = q8_0{}}),
      "narrow: stream: .cache = q8_0 keeps 32 features together, expected a multiple of them in each "
      "head, found heads of 24; f16 and bf16 keep two together");
}
