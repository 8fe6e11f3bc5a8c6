#include <fovea/dsl.hpp>
#include <fovea/runtime/describe/describe.hpp>

#include <catch2/catch.hpp>

#include <sstream>
#include <string>

using namespace fovea;
using namespace fovea::core;

namespace {

inline constexpr dim B{"B"}, T{"T"};

/// What describe prints below its table.
template <class M>
std::string below_table(const M& m) {
  std::ostringstream out;
  describe<T>(m, {{B, 1}, {T, 4}}, out);
  const std::string text = out.str();
  const std::size_t after_head = text.find("\n\n") + 2, end = text.find("\n\n", after_head);
  return end == text.npos ? "" : text.substr(end + 2);
}

/// What no output depends on, without the places. The output is `y` of x [B, T, 8].
template <class F>
std::string unused_in(F) {
  static constexpr auto made = model("made", [](graph& g) {
    g.output("y", F{}(g.input<f32>("x", {B, T, 8})));
  });
  std::istringstream lines(below_table(made));
  std::string text;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("  ")) text += (text.empty() ? "" : ", ") + line.substr(2, line.rfind(" (") - 2);
  return text;
}

} // namespace

TEST_CASE("describe names what no output depends on, each with its place", "[describe]") {
  static constexpr int first = __LINE__ + 2; // of the declaration's body
  static constexpr auto made = model("made", [](graph& g) {
    expr x = g.input<f32>("x", {B, T, 8});
    parameter(x, "spare", {3});
    {
      const scope probes(x, "probe", 2);
      tanh(linear(x, "a", 4));
    }
    g.output("y", linear(x, "b", 4));
  });
  const auto at = [](int line) { return " (unused.cpp:" + std::to_string(first + line) + ")\n"; };
  CHECK(below_table(made) == "No output depends on:\n"
                             "  parameter \"spare\"" +
                                 at(1) + "  parameter \"probe.2.a.weight\"" + at(4) +
                                 "  parameter \"probe.2.a.bias\"" + at(4) + "  linear \"probe.2.a\"" + at(4) +
                                 "  tanh \"probe.2\"" + at(4));
}

TEST_CASE("describe names nothing where all is used", "[describe]") {
  CHECK(unused_in([](expr x) { return linear(x, "a", 8); }).empty());
  // The last states are not used, the recurrence is; so are its layers, and a split of which a part is used.
  CHECK(unused_in([](expr x) { return expr(lstm(x, "r", 4, {.layers = 2})); }).empty());
  CHECK(unused_in([](expr x) { return gru(x, "r", 4).state.hidden[0]; }).empty());
  CHECK(unused_in([](expr x) { return split<4>(x)[1]; }).empty());
  CHECK(unused_in([](expr x) {
          return scan(x, zeros(x, {B, 8}), [](expr t, expr sum) { return scan_step{sum, sum + t}; }).output;
        }).empty());
  // Tables that a score's lambda reads.
  CHECK(unused_in([](expr x) {
          const expr table = parameter(x, "table", {2, 4});
          return attention(x, x, x, {.heads = 2, .score = [=](scalar s, scalar q, scalar, scalar h) {
                                       return s + at(table, h, min(q, 3));
                                     }});
        }).empty());
  // An input may be there for its size alone.
  CHECK(unused_in([](expr x) { return zeros(x, {T, 2}); }).empty());
}

TEST_CASE("describe names what is unused inside loops", "[describe]") {
  CHECK(unused_in([](expr x) {
          return repeat("h", 2, x, [](expr y) {
            relu(y);
            return tanh(y);
          });
        }) == "relu \"h.*\"");
  // A loop that gives what nothing takes, and its body.
  CHECK(unused_in([](expr x) {
          repeat("h", 4, x, [](expr y, int) { return tanh(y); }, {.period = 2});
          return x;
        }) == "tanh \"h.{2*i}\", tanh \"h.{2*i+1}\", repeat");
  // One of two carried values is used only by itself.
  CHECK(unused_in([](expr x) {
          return repeat("h", 2, std::array{x, x}, [](std::array<expr, 2> y) {
            return std::array{tanh(y[0]), relu(y[1])};
          })[0];
        }) == "relu \"h.*\"");
  // One reaches the output through the other, a pass later.
  CHECK(unused_in([](expr x) {
          return repeat("h", 2, std::array{x, x}, [](std::array<expr, 2> y) {
            return std::array{tanh(y[1]), relu(y[1])};
          })[0];
        }).empty());
  // Of a state that no output of the scan depends on.
  CHECK(unused_in([](expr x) {
          const auto [all, last] = scan(x, zeros(x, {B, 8}), [](expr t, expr sum) {
            return scan_step{tanh(t), sigmoid(sum)};
          });
          return all;
        }) == "zeros, sigmoid");
}

TEST_CASE("a word made of several nodes is named once where nothing of it is used", "[describe]") {
  CHECK(unused_in([](expr x) {
          split<4>(x);
          zeros(x, {2});
          return x;
        }) == "split, zeros");
  CHECK(unused_in([](expr x) {
          gru(x, "r", 4, {.bias = false});
          return x;
        }) == "parameter \"r.weight_ih_l0\", parameter \"r.weight_hh_l0\", gru \"r\"");
}
