#include <catch2/catch.hpp>

#include <cmath>

#include <fovea/dsl.hpp>

using namespace fovea;
using namespace fovea::core;

namespace {

/// Where a recorded function is evaluated.
struct position {
  int query = 0, key = 0, head = 0, batch = 0;
  double score = 0;
};

constexpr double floor_of(double x) {
  const auto whole = static_cast<double>(static_cast<long long>(x));
  return whole > x ? whole - 1 : whole;
}

/// The value of a recorded score or mask; tables are read by table(which, positions).
template <class table>
constexpr double evaluate(const scalar_function& f, position at, const table& read) {
  double values[scalar_function::max_nodes] = {};
  for (int i = 0; i < f.count; ++i) {
    const scalar_node& n = f.nodes[i];
    const double a = values[n.operands[0]], b = values[n.operands[1]], c = values[n.operands[2]];
    switch (n.kind) {
      case op::score:
        values[i] = at.score;
        break;
      case op::query_position:
        values[i] = at.query;
        break;
      case op::key_position:
        values[i] = at.key;
        break;
      case op::head_index:
        values[i] = at.head;
        break;
      case op::batch_index:
        values[i] = at.batch;
        break;
      case op::constant:
        values[i] = n.number;
        break;
      case op::table_at:
        values[i] = read(f.captures[n.capture], a, b);
        break;
      case op::negate:
        values[i] = -a;
        break;
      case op::add:
        values[i] = a + b;
        break;
      case op::subtract:
        values[i] = a - b;
        break;
      case op::multiply:
        values[i] = a * b;
        break;
      case op::divide:
        values[i] = n.type == element::i32 ? floor_of(a / b) : a / b;
        break;
      case op::maximum:
        values[i] = a > b ? a : b;
        break;
      case op::minimum:
        values[i] = a < b ? a : b;
        break;
      case op::less:
        values[i] = a < b;
        break;
      case op::less_equal:
        values[i] = a <= b;
        break;
      case op::equal:
        values[i] = a == b;
        break;
      case op::logical_and:
        values[i] = a != 0 && b != 0;
        break;
      case op::logical_or:
        values[i] = a != 0 || b != 0;
        break;
      case op::logical_not:
        values[i] = a == 0;
        break;
      case op::where:
        values[i] = a != 0 ? b : c;
        break;
      default:
        throw "not an operation of these tests";
    }
  }
  return values[f.count - 1];
}

/// Whether a mask equals a plain rule at every pair of some positions.
template <class rule>
constexpr bool sees(const attention_mask& m, rule visible) {
  const auto no_table = [](int, double, double) -> double { throw "this mask reads no table"; };
  for (int q = 0; q < 9; ++q)
    for (int k = 0; k < 9; ++k)
      for (int h = 0; h < 2; ++h)
        if ((evaluate(m.function, {q, k, h}, no_table) != 0) != visible(q, k, h)) return false;
  return true;
}

TEST_CASE("a mask sees what its rule says") {
  STATIC_REQUIRE(sees(causal, [](int q, int k, int) { return k <= q; }));
  STATIC_REQUIRE(sees(window(3), [](int q, int k, int) { return q - 3 < k && k <= q; }));
  STATIC_REQUIRE(sees(window(2, 1), [](int q, int k, int) { return q - 2 <= k && k <= q + 1; }));
  STATIC_REQUIRE(sees(window(2, 0), [](int q, int k, int) { return q - 2 <= k && k <= q; }));
  STATIC_REQUIRE(sees(padding(4), [](int, int k, int) { return k < 4; }));
  STATIC_REQUIRE(sees(causal | prefix(3), [](int q, int k, int) { return k <= q || k < 3; }));
  STATIC_REQUIRE(sees(causal & padding(6) & window(4, 4),
                      [](int q, int k, int) { return k <= q && k < 6 && q - 4 <= k; }));
  STATIC_REQUIRE(sees((window(2) | prefix(1)) & padding(7),
                      [](int q, int k, int) { return ((q - 2 < k && k <= q) || k < 1) && k < 7; }));
  STATIC_REQUIRE(
      sees(attention_mask([](scalar, scalar) { return true; }), [](int, int, int) { return true; }));
  STATIC_REQUIRE(sees(attention_mask([](scalar q, scalar k) { return q / 3 == k / 3; }),
                      [](int q, int k, int) { return q / 3 == k / 3; }));
  STATIC_REQUIRE(sees(attention_mask([](scalar q, scalar k) { return (q - k) / 2 == -1; }),
                      [](int q, int k, int) { return q - k == -1 || q - k == -2; }));
  STATIC_REQUIRE(sees(attention_mask([](scalar q, scalar k) { return (q - k) % 3 == 1; }),
                      [](int q, int k, int) { return (q - k + 9) % 3 == 1; }));
  STATIC_REQUIRE(
      sees(attention_mask([](scalar q, scalar k, scalar h) { return where(h == 0, k <= q, k >= q); }),
           [](int q, int k, int h) { return h == 0 ? k <= q : k >= q; }));
  STATIC_REQUIRE(sees(attention_mask([](scalar q, scalar k) { return !(k > q || k != k); }),
                      [](int q, int k, int) { return k <= q; }));
}

TEST_CASE("an empty mask lets everything be seen, alone and joined") {
  STATIC_REQUIRE((attention_mask().function.empty() && (attention_mask() | causal).function.empty()));
  STATIC_REQUIRE(((attention_mask() & causal).function == causal.function &&
                  (causal & attention_mask()).function == causal.function));
}

TEST_CASE("a lambda counts as looking ahead unless a rule beside it does not") {
  STATIC_REQUIRE((!causal.looks_ahead && !window(3).looks_ahead && !window(3, 0).looks_ahead &&
                  window(3, 1).looks_ahead));
  STATIC_REQUIRE(
      (attention_mask([](scalar q, scalar k) { return k <= q; }).looks_ahead && padding(3).looks_ahead));
  STATIC_REQUIRE((!(causal & padding(3)).looks_ahead && (causal | prefix(3)).looks_ahead));
}

constexpr dim B{"B"}, T{"T"};

constexpr auto reading = model("reading", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8}), lengths = g.input<i32>("lengths", {B});
  expr table = parameter(x, "table", {2, 9});
  const attention_mask seen = causal & padding(lengths);
  g.output("first", attention(x, x, x, {.heads = 2, .mask = seen}));
  g.output("again", attention(x, x, x, {.heads = 2, .mask = seen}));
  g.output("scored",
           attention(x, x, x,
                     {.heads = 2,
                      .score = [=](scalar s, scalar q, scalar k,
                                   scalar h) { return s + at(table, h, max(min(q - k, 4), -4) + 4); },
                      .mask = seen}));
});

} // namespace

TEST_CASE("lambdas read tables of the graph, and equal ones are kept once") {
  const graph_view m = reading.view;
  REQUIRE(m.functions.size() == 2);
  const scalar_function &seen = m.function(0), &scored = m.function(1);
  const auto read = [&](int node, double i, double j) {
    if (m.at(node).kind == op::input) return i == 0 ? 3.0 : 5.0; // lengths
    return 100 * i + j;
  };
  CHECK(evaluate(seen, {4, 2, 0, 0}, read) == 1);
  CHECK(evaluate(seen, {4, 3, 0, 0}, read) == 0);
  CHECK(evaluate(seen, {4, 3, 0, 1}, read) == 1);
  CHECK(evaluate(seen, {2, 3, 0, 1}, read) == 0);
  CHECK(evaluate(scored, {7, 5, 1, 0, 0.5}, read) == 0.5 + 100 + 6);
  CHECK(evaluate(scored, {0, 8, 0, 0, 0.5}, read) == 0.5);
  for (const named_value& output : m.outputs) CHECK(m.at(output.node).settings.attention.mask == 0);
  // Operands: query, key, value, the score's tables, the mask's.
  CHECK(m.at(m.outputs[2].node).operand_count == 5);
}

TEST_CASE("a score or mask keeps the types of its parts") {
  CHECK(alibi(8).function.type() == element::f32);
  CHECK(causal.function.type() == element::boolean);
  CHECK(attention_mask([](scalar q, scalar k) { return q + k; }).function.type() == element::i32);
  CHECK(attention_mask([](scalar q, scalar k) { return (q < k) + 1; }).function.fault != nullptr);
  CHECK(attention_mask([](scalar q, scalar k) { return q && k; }).function.fault != nullptr);
  CHECK(attention_mask([](scalar q, scalar k) { return q < k && !(k < 3); }).function.fault == nullptr);
}
