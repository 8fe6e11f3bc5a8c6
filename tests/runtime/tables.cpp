#include "../compare_backends.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

constexpr dim B{"B"}, T{"T"};

/// How many steps of its plan run once, and how many values calls read of these.
template <class M>
constexpr std::pair<int, int> once_of(const M&) {
  const auto& p = M::lowered::schedule;
  int steps = 0, tables = 0;
  for (int i = 0; i < p.step_count; ++i) steps += p.steps[i].once;
  for (int id = 0; id < M::lowered::view.node_count(); ++id) tables += p.tables[id];
  return {steps, tables};
}

/// Sines of four places [4, 1], and the places.
struct waves {
  expr place, wave;
  constexpr explicit waves(expr x) : place(to_float(unsqueeze(range(x, 4), 1))), wave(cos(place * 2.0)) {}
};

/// A product reads a table that is made of another, which all rows read, too.
constexpr auto products = model("products", [](graph& g) {
  const expr x = g.input<f32>("x", {B, 4});
  const waves w(x);
  const expr table = concat(-1, w.wave, sin(w.place));
  g.output("product", tanh(matmul(exp(x), table)));
  g.output("scaled", softmax(x * transpose(w.wave)));
});
// range, cos, sin and concat; the last and cos are read.
static_assert(once_of(products) == std::pair(5, 2));

/// Each step of a scan reads the table.
constexpr auto steps = model("steps", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 4});
  const expr table = sin(waves(x).place * unsqueeze(to_float(range(x, 4)), 0));
  g.output("y", scan(x, zeros(x, {B, 4}), [&](expr now, expr state) {
             const expr next = tanh(matmul(state, table) + now);
             return scan_step{next, next};
           }));
});
static_assert(once_of(steps).second == 1);

/// What leaves the graph is made in each call, and what is made of it.
constexpr auto shown = model("shown", [](graph& g) {
  const expr x = g.input<f32>("x", {B, 4});
  const waves w(x);
  g.output("product", matmul(x, concat(-1, w.wave, sin(w.place))));
  g.output("place", w.place);
});
static_assert(once_of(shown) == std::pair(0, 0));

/// So are what no product reads, and what has a size of a call.
constexpr auto others = model("others", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T});
  g.output("sum", x * sum(to_float(range(x, 4)), 0));
  g.output("product", matmul(x, cos(to_float(unsqueeze(range(x, T), 1)))));
});
static_assert(once_of(others) == std::pair(0, 0));

template <class M>
void check_calls(const M& model, const std::vector<named_values>& calls,
                 const std::vector<dim_size>& capacity) {
  for (const int threads : {1, 3}) {
    auto net = compile(model, model_weights::from({}), {.capacity = capacity, .threads = threads});
    auto copy = net;
    for (const named_values& inputs : calls) {
      const named_values right = run_model<reference>(model, model_weights::from({}), inputs);
      for (auto* one : {&net, &copy})
        for (const auto& [name, found] : call_model(model, *one, inputs)) {
          INFO(model.name << ", " << name << ", " << threads << " threads");
          REQUIRE(found.shape == right.at(name).shape);
          CHECK(distance_of(std::span<const double>(found.values), right.at(name), 1e-5, 1e-5).share <= 1);
        }
    }
  }
}

} // namespace

TEST_CASE("tables are made once, and outlast calls of any size; a copy has its own", "[plan]") {
  std::vector<named_values> rows, sequences;
  for (const std::size_t count : {9u, 1u, 5u, 9u}) {
    rows.push_back({{"x", values_of({count, 4}, false, "x" + std::to_string(count))}});
    sequences.push_back({{"x", values_of({count, 10 - count, 4}, false, "x")}});
  }
  check_calls(products, rows, {{B, 9}});
  check_calls(shown, rows, {{B, 9}});
  check_calls(steps, sequences, {{B, 9}, {T, 9}});
}
