#include <fovea/base/error.hpp>
#include <fovea/dsl.hpp>
#include <fovea/models/bahdanau.hpp>
#include <fovea/models/bert.hpp>
#include <fovea/models/llama.hpp>
#include <fovea/models/rnn.hpp>
#include <fovea/models/tcn.hpp>
#include <fovea/runtime/describe/describe.hpp>
#include <fovea/runtime/describe/receptive_field.hpp>

#include <catch2/catch.hpp>

#include <sstream>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::models;

namespace {

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

/// What the output `y` of a model of x [B, T, 4] sees of T.
template <class F>
std::string seen(F) {
  static constexpr auto made = model("made", [](graph& g) {
    g.output("y", F{}(g.input<f32>("x", {B, T, 4})));
  });
  using M = std::remove_cvref_t<decltype(made)>;
  return receptive_fields(M::view, T)[static_cast<std::size_t>(M::view.outputs[0].node)].text();
}

constexpr expr self_attention(expr x, attention_mask visible) {
  return attention(x, x, x, {.mask = visible});
}

template <class M>
std::string output_field(const M&, const dim& time) {
  return receptive_fields(M::view, time)[static_cast<std::size_t>(M::view.outputs[0].node)].text();
}

template <dim time, class M>
std::string table_of(const M& m, dim_sizes sizes) {
  std::ostringstream out;
  describe<time>(m, sizes, out);
  return out.str();
}

} // namespace

TEST_CASE("what a value sees of time: pointwise words, convolutions, pooling, shifts", "[describe]") {
  CHECK(seen([](expr x) { return relu(linear(x, "a", 3)) + 1; }) == "1");
  CHECK(seen([](expr x) { return x + parameter(x, "p", {4}); }) == "1");
  CHECK(seen([](expr x) { return sinusoidal_positions(relu(x)); }) == "-");
  CHECK(seen([](expr x) { return parameter(x, "p", {4}); }) == "-");
  CHECK(seen([](expr x) { return conv1d(x, "a", 4, 3, {.padding = causal}); }) == "3");
  CHECK(seen([](expr x) { return conv1d(x, "a", 4, 3, {.padding = 1}); }) == "2 + 1 ahead");
  CHECK(seen([](expr x) {
          for (int i = 0; i < 3; ++i)
            x = conv1d(x, i == 0 ? "a" : i == 1 ? "b" : "c", 4, 2, {.dilation = 1 << i, .padding = causal});
          return x;
        }) == "8");
  // Two windows of 2 at stride 2, then one of 3 over every fourth step.
  CHECK(seen([](expr x) {
          const expr y = conv1d(conv1d(x, "a", 4, 2, {.stride = 2}), "b", 4, 2, {.stride = 2});
          return conv1d(y, "c", 4, 3, {.padding = causal});
        }) == "9 + 3 ahead");
  CHECK(seen([](expr x) { return max_pool(x, 3, {.stride = 1}); }) == "1 + 2 ahead");
  // Half of two outputs: a transposed convolution sees the input before and its own.
  CHECK(seen([](expr x) { return conv_transpose1d(x, "a", 4, 4, {.stride = 2}); }) == "3");
  CHECK(seen([](expr x) { return slice(pad(x, axis(1), 2, 0), axis(1), 0, T); }) == "3");
  CHECK(seen([](expr x) {
          const expr none = slice(x, axis(1), 0, 1) * 0;
          return concat(axis(1), none, slice(x, axis(1), 0, -1));
        }) == "2");
}

TEST_CASE("what a value sees of time: attention, reductions, recurrence", "[describe]") {
  CHECK(seen([](expr x) { return self_attention(x, {}); }) == "all");
  CHECK(seen([](expr x) { return self_attention(x, causal); }) == "all past");
  CHECK(seen([](expr x) { return self_attention(x, window(5)); }) == "5");
  CHECK(seen([](expr x) { return self_attention(self_attention(x, window(5)), window(3)); }) == "7");
  CHECK(seen([](expr x) { return self_attention(x, window(4, 2)); }) == "5 + 2 ahead");
  CHECK(seen([](expr x) { return self_attention(x, window(4) & causal); }) == "4");
  CHECK(seen([](expr x) { return self_attention(x, causal | prefix(3)); }) == "all");
  CHECK(seen([](expr x) { return mean(x, axis(1)); }) == "all");
  CHECK(seen([](expr x) { return softmax(x); }) == "1");
  CHECK(seen([](expr x) { return softmax(x, axis(1)); }) == "all");
  CHECK(seen([](expr x) { return group_norm(x, "n", 2); }) == "all");
  CHECK(seen([](expr x) { return reverse(x, axis(1)); }) == "all");
  CHECK(seen([](expr x) { return expr(gru(x, "r", 3)); }) == "all past");
  CHECK(seen([](expr x) { return expr(gru(x, "r", 3, {.reverse = true})); }) == "all");
  CHECK(seen([](expr x) { return gru(x, "r", 3).state.hidden[0]; }) == "all");
  // A state that nothing moves into, and the step's own input, see one step.
  CHECK(seen([](expr x) {
          const expr start = slice(x, axis(1), 0, 1) * 0;
          return scan(x, reshape(start, {B, 4}), [](expr y, expr h) { return scan_step{y, h}; }).output;
        }) == "1");
  CHECK(seen([](expr x) {
          return repeat("r", 5, x, [](expr y) { return conv1d(y, "a", 4, 3, {.padding = causal}); });
        }) == "11");
}

TEST_CASE("what models of the catalogue see", "[describe]") {
  CHECK(output_field(
            bert<bert_config{.layers = 2, .heads = 2, .width = 8, .inner = 8, .vocab = 9, .context = 9}>,
            T) == "all");
  CHECK(output_field(
            llama<llama_config{.layers = 2, .heads = 2, .kv_heads = 1, .width = 8, .inner = 8, .vocab = 9}>,
            T) == "all past");
  static constexpr bahdanau_config b{
      .source_vocab = 9, .target_vocab = 9, .width = 4, .hidden = 5, .alignment = 3, .maxout = 2};
  CHECK(output_field(bahdanau<b>, T) == "all past");
  CHECK(output_field(bahdanau<b>, S) == "all");
}

TEST_CASE("the table of a model", "[describe]") {
  static constexpr auto small = model("small", [](graph& g) {
    expr x =
        gather(parameter(g.input<i32>("tokens", {B, T}), "words", {1000, 8}), g.input<i32>("more", {B, T}));
    x = repeat("h", 3, x, [](expr y) { return y + linear(layer_norm(y, "n"), "up", 8); });
    x = scan(x, zeros(x, {B, 8}), [](expr y, expr h) {
      const expr next = tanh(linear(concat(axis(-1), y, h), "step", 8));
      return scan_step{next, next};
    });
    g.output("logits", linear(x, "scores", 5, {.bias = false}));
  });
  CHECK("\n" + table_of<T>(small, {{B, 2}, {T, 10}}) == R"(
small: 8,440 parameters, 14.4 kFLOPs at B = 2, T = 10

operation       name    shape      parameters   FLOPs  sees of T
input           tokens  [B, T]                                 1
input           more    [B, T]                                 1
gather          words   [B, T, 8]       8,000                  1
repeat 3 times
  layer_norm    h.*.n   [B, T, 8]          48                  1
  linear        h.*.up  [B, T, 8]         216  7.68 k          1
  +                     [B, T, 8]                              1
broadcast               [B, 8]                                 -
scan over T
  concat                [B, 16]                         all past
  linear        step    [B, 8]            136  5.12 k   all past
  tanh                  [B, 8]                          all past
linear          scores  [B, T, 5]          40  1.60 k   all past
output          logits  [B, T, 5]                       all past
)");
}

TEST_CASE("a table's sums are those of the model", "[describe]") {
  static constexpr bert_config c{.layers = 3, .heads = 2, .width = 8, .inner = 16, .vocab = 9, .context = 9};
  static constexpr auto m = bert<c>;
  const dim_size sizes[]{{B, 2}, {T, 7}};
  std::int64_t parameters = 0, flops = 0;
  for (const described_node& row : described(decltype(m)::view, "bert", sizes, T))
    parameters += row.parameters, flops += row.flops;
  CHECK(parameters == m.parameters());
  CHECK(flops == m.flops({{B, 2}, {T, 7}}));
}

TEST_CASE("a dim without a size is named", "[describe]") {
  static constexpr auto two = model("two", [](graph& g) {
    g.output("y", linear(g.input<f32>("x", {B, T, 4}), "a", 4));
  });
  std::ostringstream out;
  CHECK_THROWS_WITH(describe<T>(two, {{B, 2}}, out), "two: describe: the dim T of the model has no size");
  CHECK(out.str().empty());
}

TEST_CASE("the graph of a model in Graphviz's language", "[describe]") {
  static constexpr auto small = model("small \"quoted\"", [](graph& g) {
    const expr x = g.input<f32>("x", {B, 4});
    g.output("y", repeat("h", 2, x, [](expr y) { return relu(linear(y, "a", 4)); }));
  });
  std::ostringstream out;
  draw(small, out);
  CHECK("\n" + out.str() == R"(
digraph "small \"quoted\"" {
  node [shape=box, fontname="sans-serif", fontsize=10, margin="0.1,0.05"];
  edge [arrowsize=0.6];
  n0 [label="x\n[B, 4]", shape=ellipse];
  subgraph cluster1 {
    label="repeat 2 times"; style=rounded; fontname="sans-serif"; fontsize=10;
    n1 [label="x\n[B, 4]", shape=ellipse];
    n4 [label="linear h.*.a\n[B, 4]"];
    n5 [label="relu\n[B, 4]"];
    n5 -> n1 [style=dashed, constraint=false];
  }
  output0 [shape=ellipse, label="y"];
  n0 -> n1;
  n1 -> n4;
  n4 -> n5;
  n5 -> output0;
}
)");
}
