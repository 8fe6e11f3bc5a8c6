#include <fovea/fovea.hpp>
#include <fovea/runtime/describe/explain.hpp>
#include <fovea/runtime/describe/profile.hpp>

#include <catch2/catch.hpp>

#include <map>
#include <sstream>
#include <thread>

using namespace fovea;
using namespace fovea::core;
using Catch::Matchers::Contains;

namespace {

inline constexpr dim B{"B"}, T{"T"};

/// A repeat, fused epilogues, a chain, an output of its own.
inline constexpr auto block = model("block", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
  x = repeat("h", 2, x, [](expr y) {
    const expr h = layer_norm(y, "ln");
    const expr a =
        attention(linear(h, "q", 8), linear(h, "k", 8), linear(h, "v", 8), {.heads = 2, .mask = causal});
    return y + linear(gelu(linear(a, "up", 16)), "down", 8);
  });
  g.output("y", softmax(tanh(x) * 2));
});
/// A scan that is one function; whose stream takes single positions by one.
inline constexpr auto reader = model("reader", [](graph& g) {
  g.output("y", linear(gru(g.input<f32>("x", {B, T, 8}), "rnn", 16).output, "out", 3));
});

xt::xtensor<float, 3> input(std::size_t batch, std::size_t positions) {
  xt::xtensor<float, 3> x = xt::ones<float>({batch, positions, std::size_t{8}});
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = 0.01f * static_cast<float>(i % 37) - 0.2f;
  return x;
}

auto net_of_block() {
  return compile(block, initial_weights(block, 1), {.capacity = {{B, 2}, {T, 16}}, .threads = 1});
}

template <class E>
std::string printed(const E& explained) {
  std::ostringstream out;
  out << explained;
  return out.str();
}

/// What a step computes, by what, and at which sizes.
std::string line(const explained_step& s) {
  return std::string(2 * static_cast<std::size_t>(s.depth), ' ') + s.text + " | " + s.kernel + " | " +
         s.weights + " | " + s.sizes + " | " + std::to_string(s.passes) + " x " + std::to_string(s.flops);
}

} // namespace

TEST_CASE("the steps of a net are explained at the sizes of its last call", "[explain]") {
  auto net = net_of_block();
  CHECK(explain(net).sizes == "B = 2, T = 16");
  net("x"_in = input(1, 5));
  const explanation e = explain(net);
  CHECK(e.model == "block");
  CHECK(e.sizes == "B = 1, T = 5");
  CHECK(e.set == instruction_set());
  CHECK(e.arena_bytes == net.arena_bytes());
  std::vector<std::string> lines;
  for (const explained_step& s : e.steps) lines.push_back(line(s));
  CHECK(lines == std::vector<std::string>{
                     "repeat 2 times | loop |  |  | 1 x 0",
                     "  layer_norm h.*.ln | layer_norm | f32 | 1 x 5 x 8 | 2 x 0",
                     "  linear h.*.q, h.*.k, h.*.v | small_product | f32 | 5 x 8 x 24 | 2 x 1920",
                     "  attention h.* | attention |  | 1 x 5 x 5 x 8 | 2 x 800",
                     "  linear h.*.up (gelu) | small_product | f32 | 5 x 8 x 16 | 2 x 1280",
                     "  linear h.*.down (+) | small_product | f32 | 5 x 16 x 8 | 2 x 1280",
                     "chain (tanh, *) | chain |  | 1 x 5 x 8 | 1 x 0",
                     "softmax | softmax |  | 1 x 5 x 8 | 1 x 0",
                 });
  // Weights and biases; left side, three results. Values are read or written once by a step.
  CHECK(e.steps[2].parameter_bytes == 4 * 3 * (8 * 8 + 8));
  CHECK(e.steps[2].value_bytes == 4 * 5 * (8 + 3 * 8));
  CHECK(e.steps[6].value_bytes == 4 * 2 * 5 * 8);
  CHECK(e.flops() == block.flops({{B, 1}, {T, 5}}));
  const std::string text = printed(e);
  CHECK_THAT(text, Contains("block at B = 1, T = 5: 10.6 kFLOPs"));
  CHECK_THAT(text, Contains("   2    linear h.*.q, h.*.k, h.*.v  small_product  f32      5 x 8 x 24"));
  CHECK_THAT(text, Contains(", output\n"));
}

TEST_CASE("what a net explains of its arena lies in it, and no value on another that is still read",
          "[explain]") {
  auto net = net_of_block();
  const explanation e = explain(net);
  const graph_view& g = *net.runs_on().view().graph;
  const plan_view& plan = *net.runs_on().view().plan;
  struct live_value {
    std::int64_t begin, end;
    int made, read; // by which steps, the last
  };
  std::vector<live_value> values;
  int seen = 0;
  for (const explained_step& s : e.steps)
    for (std::size_t k = 0; k < s.results.size(); ++k) {
      const explained_result& r = s.results[k];
      REQUIRE(r.offset >= 0);
      CHECK(r.offset + r.bytes <= e.arena_bytes);
      const step& made = plan.steps[s.step];
      const int node = made.has_parts() ? plan.parts[made.first + static_cast<int>(k)] : made.node;
      int last = s.step;
      for (int reader_step = 0; reader_step < plan.step_count; ++reader_step) {
        const step& by = plan.steps[reader_step];
        if (by.kind == step_kind::loop_begin || by.kind == step_kind::loop_end) continue;
        const int at = net.runs_on().view().node_of(by, 0);
        for (int operand = 0; operand < g.at(at).operand_count; ++operand)
          if (plan.base[g.operand(at, operand)] == node) last = reader_step, ++seen;
      }
      values.push_back({r.offset, r.offset + r.bytes, s.step, last});
    }
  CHECK(seen >= 6);
  for (const live_value& a : values)
    for (const live_value& b : values)
      if (&a != &b && a.begin < b.end && b.begin < a.end) { // the same memory
        INFO("steps " << a.made << " and " << b.made);
        CHECK((a.read <= b.made || b.read <= a.made));
      }
}

TEST_CASE("a scan of one function is one step, and a stream is explained by both of its parts", "[explain]") {
  auto net = compile(reader, initial_weights(reader, 1), {.capacity = {{B, 2}, {T, 16}}});
  net("x"_in = input(1, 5));
  const explanation e = explain(net);
  CHECK(e.flops() == reader.flops({{B, 1}, {T, 5}}));
  const auto scan =
      std::find_if(e.steps.begin(), e.steps.end(), [](const auto& s) { return s.kernel == "scan"; });
  REQUIRE(scan != e.steps.end());
  CHECK(scan->text == "scan over T");
  CHECK(scan->sizes == "5");
  CHECK(scan->flops == 2 * 5 * 16 * 48);
  CHECK(scan->results.at(0).bytes == 4 * 5 * 16);
  CHECK(e.steps.back().text == "linear out");

  auto live = stream<T>(reader, initial_weights(reader, 1), {.capacity = {{B, 1}, {T, 4}}});
  live.step("x"_in = input(1, 1));
  const stream_explanation s = explain(live);
  CHECK(s.has_single_position);
  CHECK(s.step.flops() == reader.flops({{B, 1}, {T, 1}}));
  CHECK(s.step.sizes == "B = 1, T = 1");
  CHECK_THAT(printed(s), Contains("A single position takes one function"));
}

TEST_CASE("weights in a format are explained as they are kept", "[explain]") {
  static constexpr auto wide = model("wide", [](graph& g) {
    g.output("y", linear(g.input<f32>("x", {B, 64}), "map", 32));
  });
  const model_weights weights = initial_weights(wide, 1);
  const auto explained = [&](auto net) { return explain(net).steps.at(0); };
  const explained_step decoded = explained(compile<q8_0>(wide, weights, {.capacity = {{B, 1}}}));
  CHECK(decoded.kernel == "decoded_product");
  CHECK(decoded.weights == "q8_0");
  CHECK(decoded.parameter_bytes == 64 * 32 * 34 / 32 + 4 * 32); // 32 bytes and a scale of two; the bias
  const explained_step summed =
      explained(compile<integer_products<int8>>(wide, weights, {.capacity = {{B, 1}}}));
  CHECK(summed.kernel == "integer_product");
  CHECK(summed.weights == "integer_products<int8>");
}

TEST_CASE("a profile tells the kernel of the last call", "[profile]") {
  static constexpr auto attends = model("attends", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 8});
    g.output("y", attention(x, x, x, {.heads = 2}));
  });
  auto net = compile<bf16_products>(attends, model_weights::from({}), {.capacity = {{B, 1}, {T, 200}}});
  const profile measured;
  const auto after = [&](std::size_t queries) {
    net("x"_in = input(1, queries));
    return measured.steps(false).at(0);
  };
  const std::string of_few = after(20).kernel, of_many = after(150).kernel;
  CHECK(of_few == "attention");
  CHECK(of_many == explain(net).steps.at(0).kernel);
  const profiled_step all = after(20);
  CHECK(all.kernel == "attention");
  const double of_small = 2 * 2.0 * 8 * 20 * 20 * 2, of_large = 2.0 * 8 * 150 * 150 * 2;
  CHECK(all.flops == of_small + of_large);
  CHECK(all.float_flops == (of_many == of_few ? all.flops : of_small));
}

TEST_CASE("a profile counts the steps of every call, and changes none of its bits", "[profile]") {
  auto net = net_of_block();
  const xt::xtensor<float, 3> before = net("x"_in = input(2, 7))["y"_out];
  const profile measured;
  CHECK(measured.steps(false).empty());
  const xt::xtensor<float, 3> after = net("x"_in = input(2, 7))["y"_out];
  CHECK(before == after);
  net("x"_in = input(1, 3));
  auto copy = net; // counts as the same
  copy("x"_in = input(1, 3));
  std::map<int, profiled_step> steps;
  for (const profiled_step& s : measured.steps(false)) steps[s.step] = s;
  REQUIRE(steps.size() == explain(net).steps.size() - 1); // the loop is none
  for (const explained_step& s : explain(net).steps) {
    if (s.kernel == "loop") continue;
    INFO(s.text);
    const profiled_step& one = steps.at(s.step);
    CHECK(one.model == "block");
    CHECK(one.text == s.text);
    CHECK(one.kernel == s.kernel);
    CHECK(one.sizes == s.sizes);
    CHECK(one.times == 3 * s.passes);
    CHECK(one.nanoseconds >= 0);
    CHECK(one.share >= 0);
    CHECK(one.share <= 1);
  }
  double flops = 0;
  for (const auto& [_, s] : steps) flops += s.flops;
  CHECK(flops == static_cast<double>(block.flops({{B, 2}, {T, 7}}) + 2 * block.flops({{B, 1}, {T, 3}})));
}

TEST_CASE("a profile takes streams, positions by one function, and nets of several threads",
          "[profile][threads]") {
  const profile measured;
  auto live = stream<T>(reader, initial_weights(reader, 1), {.capacity = {{B, 1}, {T, 4}}});
  for (int i = 0; i < 5; ++i) live.step("x"_in = input(1, 1));
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([] {
      auto net = net_of_block();
      for (int call = 0; call < 1000; ++call) net("x"_in = input(1, 3)); // more steps than are kept at a time
    });
  for (std::thread& one : threads) one.join();
  int positions = 0, softmaxes = 0;
  for (const profiled_step& s : measured.steps(false)) {
    if (s.step == -1) {
      CHECK(s.model == "reader");
      CHECK(s.times == 5);
      CHECK(s.flops == static_cast<double>(5 * reader.flops({{B, 1}, {T, 1}})));
      ++positions;
    }
    if (s.text == "softmax") softmaxes += static_cast<int>(s.times);
  }
  CHECK(positions == 1);
  CHECK(softmaxes == 2000);
}

TEST_CASE("the table of a profile has a line for each step, and shares of what the machine can do",
          "[profile]") {
  std::ostringstream empty;
  profile().print(empty);
  CHECK(empty.str().empty());
  const profile measured;
  auto net = net_of_block();
  net("x"_in = input(1, 3));
  for (const profiled_step& s : measured.steps())
    if (s.nanoseconds > 0) CHECK(s.of_limit >= 0);
  std::ostringstream out;
  measured.print(out);
  CHECK_THAT(out.str(), Contains("block: 1 calls, "));
  CHECK_THAT(out.str(), Contains("  linear h.*.up (gelu)  "));
  CHECK_THAT(out.str(), Contains("between steps"));
}
