// Streams of models that look ahead: their outputs come later, and the last ones when the sequence has ended.

#include <catch2/catch.hpp>

#include "stream_ahead_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

/// Rows that stand at positions of their own, and end there: each as its own sequence.
template <class M>
void check_rows(const M& model, std::size_t length, std::size_t fewest = 0) {
  const named_values inputs = random_inputs(model, {{"B", 3}, {"T", length}});
  const model_weights from = random_weights(model);
  compile_options options = fovea::core::test::detail::fitting<M>(inputs);
  using stream_type = decltype(stream<T>(model, from, options));
  constexpr auto stride = static_cast<std::size_t>(stream_type::stride),
                 late = static_cast<std::size_t>(stream_type::latency);
  for (dim_size& d : options.capacity)
    if (d.symbol == T) d.size += stream_type::latency;
  auto live = stream<T>(model, from, options);
  INFO(instruction_set() << ", " << model.name);
  const std::size_t ends[] = {length, length - 3 * stride, fewest == 0 ? stride : fewest};
  const auto row_of = [](const golden_tensor& all, std::size_t row) {
    return fovea::core::test::detail::part_of(all, 0, row, 1, all.shape[0]);
  };
  std::vector<named_values> wholes;
  for (std::size_t row = 0; row < 3; ++row) {
    named_values own;
    for (const auto& [name, value] : inputs)
      own[name] = fovea::core::test::detail::part_of(row_of(value, row), 1, 0, ends[row], length);
    wholes.push_back(run_model<f32>(model, from, own));
  }
  std::size_t at[3] = {};
  for (std::size_t round = 0; at[0] + at[1] + at[2] < ends[0] + ends[1] + ends[2] + 3 * late; ++round) {
    std::vector<std::size_t> lengths;
    std::size_t most = stride;
    for (std::size_t row = 0; row < 3; ++row) {
      const std::size_t left = (at[row] < ends[row] ? ends[row] : ends[row] + late) - at[row];
      lengths.push_back(std::min(left, stride * static_cast<std::size_t>(splitmix64(round * 3 + row) % 4)));
      most = std::max(most, lengths.back());
    }
    named_values part;
    for (const auto& [name, value] : inputs) {
      golden_tensor& made = part[name] = value;
      made.values.clear();
      made.shape[1] = most;
      for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t i = 0; i < most; ++i) {
          const golden_tensor one = fovea::core::test::detail::part_of(
              row_of(value, row), 1, std::min(at[row] + i, length - 1), 1, length);
          made.values.insert(made.values.end(), one.values.begin(), one.values.end());
        }
    }
    const named_values found =
        fovea::core::test::detail::step<M, T>(live, part, std::span<const std::size_t>(lengths));
    for (std::size_t row = 0; row < 3; ++row) {
      for (const named_value& out : M::view.outputs) {
        if (lengths[row] == 0) continue;
        INFO("output " << out.name << " of row " << row << ", " << lengths[row] << " positions after "
                       << at[row]);
        const golden_tensor &whole = wholes[row].at(out.name), values = row_of(found.at(out.name), row);
        const golden_tensor all =
            fovea::core::test::detail::later(whole, 1, late * whole.shape[1] / ends[row]);
        fovea::core::test::detail::check_close(
            fovea::core::test::detail::part_of(values, 1, 0, lengths[row] / stride, most / stride),
            fovea::core::test::detail::part_of(all, 1, at[row] / stride, lengths[row] / stride,
                                               (ends[row] + late) / stride));
      }
      at[row] += lengths[row];
      if (at[row] == ends[row]) live.end(row);
    }
  }
  CHECK(message_of<fovea::error>([&] { live.finish(stride); }).find("are to come of row 0") !=
        std::string::npos);
  live.reset(0);
  CHECK(live.position(0) == 0);
}

/// Before an attention, as a Conformer has it: of q and k with rotary positions.
constexpr expr attend_near(expr x, int heads, attention_mask seen) {
  const expr q = rope(linear(x, "q", 16), {.heads = heads}), k = rope(linear(x, "k", 16), {.heads = heads});
  return attention(q, k, linear(x, "v", 16), {.heads = heads, .mask = seen});
}

} // namespace

TEST_CASE("windows that see later positions stream", "[stream]") {
  constexpr auto windows = model("windows", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 5});
    const expr near = relu(conv1d(x, "near", 5, 3, {.padding = 1}));
    const expr far = conv1d(near, "far", 5, 3, {.dilation = 2, .padding = 2}) + x;
    g.output("near", linear(near, "out", 4));
    g.output("far", far);
    g.output("past", conv1d(far, "past", 3, 3, {.padding = causal}));
    g.output("largest", max_pool(near - 1, 3, {.stride = 1, .padding = 1}));
    g.output("mean", avg_pool(near, 5, {.stride = 1, .padding = 2}));
  });
  static_assert(latency(windows, T) == 3);
  check_stream_ahead<T>(windows, {{"B", 2}, {"T", 18}});
  check_rows(windows, 18);
}

TEST_CASE("windows that go by tiles where the sequence is whole stream by the sum", "[stream]") {
  constexpr auto windows = model("windows_by_tiles", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 32});
    const expr h = relu(conv1d(x, "three", 48, 3, {.padding = same}));
    g.output("y", conv1d(h, "five", 32, 5, {.padding = same}) + x);
  });
  static_assert(latency(windows, T) == 3);
  check_stream_ahead<T>(windows, {{"B", 2}, {"T", 29}});
  check_rows(windows, 29);
}

TEST_CASE("windows over planes see later positions", "[stream]") {
  constexpr auto planes = model("planes", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 7, 3});
    const expr y = gelu(conv2d(x, "a", 4, {5, 3}, {.padding = {2, 1}}));
    g.output("y", conv2d(y, "b", 4, {3, 3}, {.stride = {1, 2}, .padding = 1}));
  });
  static_assert(latency(planes, T) == 3);
  check_stream_ahead<T>(planes, {{"B", 2}, {"T", 12}});
  check_rows(planes, 12);
}

TEST_CASE("what strides make fewer comes together behind", "[stream]") {
  constexpr auto strided = model("strided", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 4});
    const expr down = relu(conv1d(x, "down", 6, 4, {.stride = 2, .padding = 1}));
    const expr lower = relu(conv1d(down, "lower", 6, 3, {.padding = 1}));
    const expr up = conv_transpose1d(lower + down, "up", 4, 4, {.stride = 2, .padding = 1});
    g.output("y", up);
    g.output("half", lower);
    g.output("finer", conv_transpose1d(x, "finer", 3, 4, {.stride = 2, .padding = 1}));
  });
  static_assert(latency(strided, T) == 6);
  check_stream_ahead<T>(strided, {{"B", 2}, {"T", 24}});
  check_rows(strided, 24);
}

TEST_CASE("attention that sees some later keys streams", "[stream]") {
  constexpr auto attending = model("attending", [](graph& g) {
    expr x = g.input<f32>("x", {B, T, 16});
    x = x + attend_near(x, 2, window(5, 2));
    const scope second(x, "second");
    x = rms_norm(x + attend_near(x, 4, window(3, 1)), "norm");
    g.output("y", x);
    g.output("weighed",
             attention(x, linear(x, "key", 16), x, {.heads = 2, .score = alibi(2), .mask = window(4, 3)}));
  });
  static_assert(latency(attending, T) == 6);
  check_stream_ahead<T>(attending, {{"B", 2}, {"T", 18}});
  check_rows(attending, 18);
}

TEST_CASE("attention to all earlier and some later keys streams", "[stream]") {
  constexpr auto attending = model("all_earlier", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 8});
    const expr near = conv1d(x, "near", 8, 3, {.padding = 1}) + sinusoidal_positions(x);
    const attention_mask seen = [](scalar q, scalar k) { return k <= q + 2; };
    const expr table = linear(near, "table", 1);
    const expr by_key = reshape(table, {B, T});
    g.output("y", attention(near, near, x, {.heads = 2, .mask = seen}));
    g.output("by_key", attention(near, x, x,
                                 {.heads = 2,
                                  .score = [by_key](scalar s, scalar, scalar k, scalar,
                                                    scalar b) { return s + at(by_key, b, k); },
                                  .mask = seen}));
    g.output("by_query", attention(near, x, x,
                                   {.heads = 2,
                                    .score = [by_key](scalar s, scalar q, scalar, scalar,
                                                      scalar b) { return s * at(by_key, b, q); },
                                    .mask = seen}));
    g.output("biased",
             attention(x, x, near, {.heads = 2, .mask = seen, .bias = reshape(table, {B, 1, 1, T})}));
  });
  static_assert(latency(attending, T) == 3);
  check_stream_ahead<T>(attending, {{"B", 2}, {"T", 14}});
  check_rows(attending, 14);
}

TEST_CASE("layers of a repeat look ahead, one behind the other", "[stream]") {
  constexpr auto conformer = model("conformer", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 16});
    const expr made = repeat("layer", 3, conv1d(x, "in", 16, 3, {.padding = 1}), [](expr y) {
      y = y + linear(silu(linear(y, "up", 24)), "down", 16);
      y = y + attend_near(layer_norm(y, "before"), 2, window(4, 1));
      return y + silu(conv1d(y, "conv", 16, 3, {.padding = 1, .groups = 16}));
    });
    g.output("y", made + x);
  });
  static_assert(latency(conformer, T) == 7);
  check_stream_ahead<T>(conformer, {{"B", 2}, {"T", 20}});
  check_rows(conformer, 20);
}

TEST_CASE("recurrence goes on behind what looks ahead, and stops at the end", "[stream]") {
  constexpr auto recurrent = model("recurrent", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 4});
    const auto first = scan(x, linear(zeros(x, {B, 4}), "start", 4), [](expr now, expr state) {
      const expr next = tanh(now + linear(state, "state", 4));
      return scan_step{next, next};
    });
    const expr near = relu(conv1d(first.output, "near", 6, 5, {.padding = 2}));
    const auto second = scan(std::array{near, concat(axis(-1), x, first.output)},
                             linear(zeros(x, {B, 6}), "begin", 6), [](std::array<expr, 2> now, expr state) {
                               const expr next = tanh(now[0] + linear(now[1], "in", 6) * state);
                               return scan_step{next + 1, next};
                             });
    g.output("y", second.output);
    g.output("lstm", lstm(second.output, "lstm", 5));
    g.output("first", first.state);
    g.output("second", second.state);
    g.output("last", last(linear(second.output, "out", 3), T));
  });
  static_assert(latency(recurrent, T) == 2);
  check_stream_ahead<T>(recurrent, {{"B", 2}, {"T", 11}});
}

TEST_CASE("what is known after the last position waits for the others", "[stream]") {
  // Found among random models: while others come late, the last of what comes at once was overwritten.
  constexpr auto early = model("early", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 4});
    const expr past = conv1d(x, "past", 5, 2, {.dilation = 2, .padding = causal});
    g.output("y", conv1d(past, "near", 3, 2, {.dilation = 2, .padding = same}));
    g.output("last", last(past, T));
    g.output("sum", relu(last(x, T)) + linear(last(past, T), "out", 4));
    g.output("state", gru(x, "gru", 3).state.hidden[0]);
  });
  static_assert(latency(early, T) == 1);
  check_stream_ahead<T>(early, {{"B", 2}, {"T", 11}});
  // And where nothing else comes late, they do.
  constexpr auto alone = model("alone", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 4});
    g.output("last", last(conv1d(x, "near", 3, 3, {.padding = 1}), T));
  });
  static_assert(latency(alone, T) == 1);
  check_stream_ahead<T>(alone, {{"B", 2}, {"T", 11}});
  constexpr auto state = model("state", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 4});
    g.output("state", gru(conv1d(x, "near", 3, 5, {.padding = 2}), "gru", 3).state.hidden[0]);
  });
  static_assert(latency(state, T) == 2);
  check_stream_ahead<T>(state, {{"B", 2}, {"T", 11}});
  constexpr auto strided = model("strided_last", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 4});
    const expr half = conv1d(x, "half", 3, 2, {.stride = 2});
    g.output("y", conv1d(x, "near", 3, 3, {.padding = 1}));
    g.output("last", last(half, axis(1)));
  });
  static_assert(latency(strided, T) == 2);
  check_stream_ahead<T>(strided, {{"B", 2}, {"T", 12}});
}

TEST_CASE("rows of recurrence behind what looks ahead end by themselves", "[stream]") {
  constexpr auto recurrent = model("recurrent_rows", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 4});
    g.output("y", gru(conv1d(x, "near", 6, 5, {.padding = 2}), "gru", 5));
  });
  static_assert(latency(recurrent, T) == 2);
  check_stream_ahead<T>(recurrent, {{"B", 3}, {"T", 11}});
  check_rows(recurrent, 11);
}

TEST_CASE("padding and loops begin where positions do", "[stream]") {
  constexpr auto padded = model("padded_late", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 4});
    const expr late = conv1d(x, "late", 4, 3, {.padding = 1});
    const auto shifted = [](expr y, int by) { return pad(slice(y, axis(1), 0, -by), axis(1), by, 0, 0.5); };
    g.output("y", x + shifted(late, 3) * shifted(linear(late, "mixed", 4), 1));
    g.output("window", conv1d(pad(late, T, 2, 0), "valid", 3, 3));
    g.output("both", conv1d(conv1d(pad(x, T, 4, 0), "a", 4, 3), "b", 4, 3));
    g.output("ended", conv1d(pad(x, T, 0, 2, 0.25), "c", 4, 3));
    g.output("around", conv1d(pad(late, T, 2, 2), "d", 4, 5));
    g.output("earlier", x - pad(slice(x, axis(1), 1, T), axis(1), 0, 1));
    g.output("looped", repeat("layer", 2, shifted(x, 2), [](expr y) { return tanh(linear(y, "w", 4)); }));
  });
  static_assert(latency(padded, T) == 3);
  check_stream_ahead<T>(padded, {{"B", 2}, {"T", 13}}, 4);
  check_rows(padded, 13, 4);
}

TEST_CASE("a decoder of what is given at the beginning looks ahead", "[stream]") {
  constexpr auto decoder = model("over_others", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 8}), from = g.input<f32>("from", {B, S, 8});
    const expr near = conv1d(x, "near", 8, 3, {.padding = 1});
    g.output("y", attention(near, linear(from, "key", 8), from, {.heads = 2}) + near);
  });
  static_assert(latency(decoder, T) == 1);
  check_stream_ahead<T>(decoder, {{"B", 2}, {"T", 9}, {"S", 5}});
}

TEST_CASE("a stream's first step has lengths of fewer rows than it may have", "[stream]") {
  constexpr auto near = model("near", [](graph& g) {
    g.output("y", conv1d(g.input<f32>("x", {B, T, 2}), "near", 2, 3, {.padding = 1}));
  });
  auto live = stream<T>(near, random_weights(near), {.capacity = {{B, 4}, {T, 4}}});
  live.step(std::vector<std::size_t>{3, 2}, "x"_in = xt::xtensor<float, 3>({2, 3, 2}, 1.0f));
  CHECK(live.position(0) == 3);
  CHECK(live.position(1) == 2);
}

TEST_CASE("the end of a sequence that never began is an error", "[stream]") {
  constexpr auto near = model("near", [](graph& g) {
    g.output("y", conv1d(g.input<f32>("x", {B, T, 2}), "near", 2, 3, {.padding = 1}));
  });
  auto live = stream<T>(near, random_weights(near), {.capacity = {{B, 2}, {T, 4}}});
  CHECK(message_of<fovea::error>([&] { live.finish(); }) ==
        "near: stream: expected a step before finish(...)");
  live.step("x"_in = xt::xtensor<float, 3>({2, 3, 2}, 1.0f));
  CHECK(
      message_of<fovea::error>([&] { live.finish(5); }) ==
      "near: stream: expected to finish by at most 4 positions in one call, the capacity of T, found 5; call "
      "finish(4) until all are given");
  CHECK(message_of<fovea::error>([&] { live.finish(2); }) ==
        "near: stream: expected at most the 1 positions that are to "
        "come of row 0, which ended after 3, found 2");
  CHECK(live.position() == 3);
  live.finish();
  auto wrong = live.save();
  wrong.ends = {9, 3};
  CHECK(
      message_of<fovea::error>([&] { live.load(wrong); }) ==
      "near: stream: expected a row after 4 positions to have ended at most 1 before, found an end after 9");
}
