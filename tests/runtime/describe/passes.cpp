#include <fovea/dsl.hpp>
#include <fovea/runtime/describe/passes.hpp>

#include <catch2/catch.hpp>

#include <sstream>
#include <string>

using namespace fovea;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr auto counter = model("counter", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 2});
  const expr y = scan(x, zeros(x, {B, 2}), [](expr now, expr before) {
    const expr after = tanh(linear(now, "map", 2, {.bias = false}) + before);
    return scan_step{after, after};
  });
  g.output("y", y);
  g.output("loss", mean(reshape(y, {B * T * 2}), axis(0)));
});

std::string text_of(const std::vector<pass_graph>& all, std::size_t i) {
  std::ostringstream out;
  describe(all[i], out);
  return out.str();
}

std::vector<std::string> names_of(const std::vector<pass_graph>& all) {
  std::vector<std::string> names;
  for (const pass_graph& one : all) names.emplace_back(one.pass);
  return names;
}

} // namespace

TEST_CASE("the passes to each end are those of its pipeline") {
  using names = std::vector<std::string>;
  CHECK(names_of(passes_to_infer(counter)) == names{"declare", "hoist"});
  CHECK(names_of(passes_to_learn(counter)) ==
        names{"declare", "training_form", "hoist", "differentiate", "prune", "hoist"});
  constexpr auto streamed = model("streamed", [](graph& g) {
    g.output("y", relu(g.input<f32>("x", {B, T, 2})));
  });
  CHECK(names_of(passes_to_stream<T>(streamed)) ==
        names{"declare", "stream_begin", "hoist", "stream_step", "hoist"});
}

TEST_CASE("a graph is printed with what its loops carry, take and leave") {
  const auto all = passes_to_infer(counter);
  CHECK(text_of(all, 0) == R"(declare: 14 operations
  %0 = input "x"  [B, T, 2]
  %1 = constant 0  []
  %2 = broadcast(%1)  [B, 2]
  scan over T:
    %3 = carry(%2)  [B, 2]
    %4 = step(%0)  [B, 2]
    %5 = parameter "map.weight"  [2, 2]
    %6 = linear(%4, %5)  [B, 2]
    %7 = +(%6, %3)  [B, 2]
    %8 = tanh(%7)  [B, 2]
    %9 = stack(%8)  [B, T, 2]
    leaves %8
  %10 = result(%8)  [B, 2]
  %11 = result(%9)  [B, T, 2]
  %12 = reshape(%11)  [2*B*T]
  %13 = mean(%12)  []
  output "y" = %11
  output "loss" = %13
)");
  CHECK(text_of(all, 1) == R"(hoist: 14 operations
  %0 = input "x"  [B, T, 2]
  %1 = constant 0  []
  %2 = broadcast(%1)  [B, 2]
  %3 = parameter "map.weight"  [2, 2]
  %4 = linear(%0, %3)  [B, T, 2]
  scan over T:
    %5 = carry(%2)  [B, 2]
    %6 = step(%4)  [B, 2]
    %7 = +(%6, %5)  [B, 2]
    %8 = tanh(%7)  [B, 2]
    %9 = stack(%8)  [B, T, 2]
    leaves %8
  %10 = result(%8)  [B, 2]
  %11 = result(%9)  [B, T, 2]
  %12 = reshape(%11)  [2*B*T]
  %13 = mean(%12)  []
  output "y" = %11
  output "loss" = %13
)");
}

TEST_CASE("all passes are printed one after the other") {
  std::ostringstream out;
  const auto all = passes_to_learn(counter);
  describe(all, out);
  std::string joined;
  for (std::size_t i = 0; i < all.size(); ++i) joined += text_of(all, i);
  CHECK(out.str() == joined);
  CHECK_THAT(out.str(), Catch::Matchers::Contains("  gradient of \"map.weight\" = %"));
}
