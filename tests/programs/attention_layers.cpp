#include <fovea/programs/attention_network.hpp>

#include <catch2/catch.hpp>

using namespace fovea;

namespace {

constexpr expr looks(expr x, int heads) { return x + attention(x, x, x, {.heads = heads}); }

inline constexpr auto layered = model("layered", [](graph& g) {
  expr x = g.input<f32>("tokens", {"B", "T", 8});
  const expr other = g.input<f32>("other", {"B", "S", 8});
  x = looks(x, 8);
  x = repeat("h", 3, x, [](expr y) { return looks(looks(y, 2), 4); });
  x = x + attention(x, other, other);
  g.output("y", repeat("outer", 2, looks(x, 1),
                       [](expr y) { return repeat("inner", 2, y, [](expr z) { return looks(z, 2); }); }));
});

} // namespace

TEST_CASE("attentions that take turns in a repeat are layers by turns", "[programs]") {
  using maps = decltype(attention_maps(layered));
  std::vector<std::size_t> outputs, indices, heads;
  for (const auto& [output, index, count] : programs::detail::attention_layers(maps::view))
    outputs.push_back(output), indices.push_back(index), heads.push_back(count);
  // One by itself, two by turns, none that looks at another text, one by itself, four of a repeat in another.
  CHECK(outputs == std::vector<std::size_t>{0, 1, 2, 1, 2, 1, 2, 4, 5, 5, 5, 5});
  CHECK(indices == std::vector<std::size_t>{0, 0, 0, 1, 1, 2, 2, 0, 0, 1, 2, 3});
  CHECK(heads == std::vector<std::size_t>{8, 2, 4, 2, 4, 2, 4, 1, 2, 2, 2, 2});
}
