// What a step of training leaves out where parameters are frozen.

#include "../compare_backends.hpp"

using namespace fovea;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr auto layers = model("layers", [](graph& g) {
  expr x = embedding(g.input<i32>("ids", {B, T}), "table", 11, 8);
  x = repeat("h", 3, x,
             [](expr y) { return y + linear(gelu(linear(layer_norm(y, "norm"), "up", 16)), "down", 8); });
  g.output("loss", cross_entropy(linear(x, "head", 5), g.input<i32>("targets", {B, T})));
});
using differentiated = decltype(gradients<false, true>(layers));

/// The multiply-adds of one pass of each product that a step makes but for those of `without`, in its outputs of B = 2,
/// T = 3.
std::int64_t multiply_adds(const std::vector<bool>& without) {
  using lowered = std::remove_const_t<differentiated>::lowered;
  const core::graph_view g = lowered::view;
  const core::plan_view plan{lowered::schedule};
  const auto size = [&](int dim) {
    return g.size(dim, [](const char* name) { return std::int64_t{name[0] == 'B' ? 2 : 3}; });
  };
  std::int64_t total = 0;
  for (int i = 0; i < plan.step_count; ++i) {
    const core::step& s = plan.steps[i];
    if (s.kind == core::step_kind::loop_begin && !without.empty() && without[static_cast<std::size_t>(i)])
      i = s.first;
    if ((s.kind != core::step_kind::product && s.kind != core::step_kind::matmul) ||
        (!without.empty() && without[static_cast<std::size_t>(i)]))
      continue;
    const int id = s.kind == core::step_kind::matmul ? s.node : plan.product[s.node];
    std::int64_t work = size(g.at(g.operand(id, 0)).shape[-1]);
    for (int axis = 0; axis < g.at(id).shape.rank; ++axis) work *= size(g.at(id).shape[axis]);
    total += work;
  }
  return total;
}

} // namespace

TEST_CASE("what is frozen costs no gradient", "[training]") {
  const xt::xtensor<int, 2> ids{{1, 2, 3}, {4, 5, 10}}, targets{{0, 1, 2}, {3, 4, 0}};
  const model_weights start = initial_weights(layers, 1);
  const auto learned = [&](const std::vector<parameter_group>& groups) {
    auto fit = train(layers, sgd{.rate = 1}, start, {.capacity = {{B, 2}, {T, 3}}, .groups = groups});
    fit.step("ids"_in = ids, "targets"_in = targets);
    return values_of(fit.weights());
  };
  const auto all = learned({}), before = values_of(start);
  // The multiply-adds that are left; what learns learns as beside the others.
  const auto work_without = [&](const std::vector<std::string>& frozen) {
    using G = std::remove_const_t<differentiated>;
    using runs = core::simd::backend;
    const auto is_frozen = [&](const std::string& name) {
      return std::ranges::any_of(frozen, [&](const std::string& part) { return name.find(part) == 0; });
    };
    std::vector<parameter_group> groups;
    for (const std::string& part : frozen) groups.push_back({.names = part + "*", .rate = 0});
    for (const auto& [name, values] : learned(groups)) {
      CAPTURE(name);
      CHECK(values == (is_frozen(name) ? before : all).at(name));
    }
    std::vector<std::size_t> outputs;
    for (std::size_t p = 0; p < G::view.parameters.size(); ++p)
      if (is_frozen(G::view.parameter_name(static_cast<int>(p)).text))
        outputs.push_back(static_cast<std::size_t>(G::output_of(static_cast<int>(p))));
    const std::vector<std::int64_t> capacity =
        core::call_sizes(G::view, "layers", std::vector<dim_size>{{B, 2}, {T, 3}}).sizes();
    runs::engine<G> engine(core::model_parameters(G::view, start, {}), capacity, 1, runs::code_of_model<G>());
    engine.leave_out(outputs);
    return multiply_adds(engine.left_out());
  };
  constexpr std::int64_t rows = 6, map = 8 * 16 * rows, head = 8 * 5 * rows;
  REQUIRE(multiply_adds({}) == 3 * (2 * map + head));
  CHECK(work_without({"table", "h."}) == 2 * map + 2 * head); // the head learns alone: nothing goes back
  CHECK(work_without({"h."}) == 4 * map + 3 * head);          // the layers pass on what the table gets
  CHECK(work_without({"head"}) == 6 * map + 2 * head);
  CHECK(work_without({"table"}) == 3 * (2 * map + head));
}
