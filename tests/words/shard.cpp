// The stages of a model, one after the other, against the whole.

#include "../streams/stream_case.hpp"

#include <fovea/dsl/passes/shard.hpp>

#include <set>
#include <string>
#include <tuple>
#include <type_traits>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

constexpr expr block(expr x, expr memory, expr lengths) {
  return tanh(x + attention(linear(x, "q", 8), linear(memory, "k", 8), linear(memory, "v", 8),
                            {.heads = 2, .mask = padding(lengths)}));
}

/// A decoder whose embedding is its head's, too, and whose mask is of another input.
inline constexpr auto decoder = model("decoder", [](graph& g) {
  const expr tokens = g.input<i32>("tokens", {B, T}), lengths = g.input<i32>("lengths", {B});
  const expr table = parameter(tokens, "table", {20, 8});
  expr x = gather(table, tokens) + learned_positions(tokens, "places", {.context = 32, .width = 8});
  x = repeat("h", 5, x, [&](expr y) {
    return tanh(y + attention(linear(y, "q", 8), linear(y, "k", 8), linear(y, "v", 8),
                              {.heads = 2, .mask = causal & padding(lengths)}));
  });
  g.output("logits", matmul(layer_norm(x, "norm"), transpose(table)));
});

/// An encoder, whose result all layers of the decoder read, and a repeat that carries two values.
inline constexpr auto translator = model("translator", [](graph& g) {
  const expr source = g.input<f32>("source", {B, S, 8}), target = g.input<f32>("target", {B, T, 8});
  const expr lengths = g.input<i32>("lengths", {B});
  const expr read = repeat("encoder", 3, source, [&](expr x) { return block(x, x, lengths); });
  const expr memory = layer_norm(read, "read");
  g.output("memory", memory);
  const auto both =
      repeat("decoder", 4, std::array{target, linear(target, "begin", 8)}, [&](std::array<expr, 2> x) {
        return std::array{block(x[0], memory, lengths) + x[1], linear(x[1], "side", 8)};
      });
  g.output("out", both[0] * both[1]);
});

/// Kinds of layers that take turns, each with layers or steps of its own inside.
inline constexpr auto nested = model("nested", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
  g.output("y", repeat("outer", 7, x,
                       [](expr y, int phase) {
                         y = repeat("inner", 2, y, [](expr z) { return tanh(linear(z, "map", 8)); });
                         return phase == 0 ? gru(y, "rnn", 8) : y;
                       },
                       {.period = 2}));
});

/// Calls the stages of a model in their order, each with what was given and with what came before.
template <int count, class backend, class M>
named_values run_stages(const M& model, const model_weights& weights, named_values values) {
  const auto run = [&](const auto& stage) {
    for (const auto& [name, value] : run_model<backend>(stage, weights, values)) values[name] = value;
  };
  std::apply([&](const auto&... stage) { (run(stage), ...); }, shard<count>(model));
  return values;
}

template <int count, class M>
void check_stages(const M& model, const std::map<std::string, std::size_t>& sizes) {
  INFO(model.name << " in " << count << " stages");
  const model_weights weights = random_weights(model);
  named_values inputs = random_inputs(model, sizes);
  if (inputs.contains("lengths")) inputs["lengths"] = {{2}, {5, 2}, true};
  on_both_backends([&](auto backend) {
    const named_values whole = run_model<decltype(backend)>(model, weights, inputs),
                       found = run_stages<count, decltype(backend)>(model, weights, inputs);
    for (const auto& [name, value] : whole) {
      INFO("output " << name);
      if constexpr (std::is_same_v<decltype(backend),
                                   reference>) // doubles, which become floats between stages
        test::detail::check_close(found.at(name), value);
      else
        CHECK(found.at(name).values == value.values);
    }
  });
}

/// The parts of the names of a stage's parameters up to the second dot.
template <class M>
std::set<std::string> layers_of(const M&) {
  std::set<std::string> layers;
  for (int p = 0; p < static_cast<int>(M::view.parameters.size()); ++p)
    for (std::int64_t layer = 0; layer < M::view.layers(M::view.parameters[static_cast<std::size_t>(p)].node);
         ++layer) {
      const std::string name = M::view.parameter_name(p, layer).text;
      layers.insert(name.substr(0, name.find('.', name.find('.') + 1)));
    }
  return layers;
}
using names = std::set<std::string>;

} // namespace

TEST_CASE("the stages of a model give what the whole gives, by the kernels bit for bit", "[shard]") {
  const std::map<std::string, std::size_t> sizes{{"B", 2}, {"T", 5}, {"S", 5}};
  check_stages<1>(decoder, sizes);
  check_stages<2>(decoder, sizes);
  check_stages<5>(decoder, sizes);
  check_stages<2>(translator, sizes);
  check_stages<5>(translator, sizes);
  check_stages<3>(nested, sizes);
}

TEST_CASE("a stage streams", "[shard]") {
  constexpr auto stages = shard<2>(decoder);
  const std::map<std::string, std::size_t> sizes{{"B", 2}, {"T", 8}};
  named_values inputs = random_inputs(std::get<1>(stages), sizes);
  inputs["lengths"] = {{2}, {8, 3}, true};
  check_stream<T>(std::get<1>(stages), inputs, random_weights(decoder));
}

TEST_CASE("a stage has the parameters of its layers under the names of the whole", "[shard]") {
  constexpr auto three = shard<3>(nested);
  CHECK(layers_of(std::get<0>(three)) == names{"outer.0", "outer.1"});
  CHECK(layers_of(std::get<1>(three)) == names{"outer.2", "outer.3"});
  CHECK(layers_of(std::get<2>(three)) == names{"outer.4", "outer.5", "outer.6"});

  constexpr auto two = shard<2>(decoder);
  CHECK(layers_of(std::get<0>(two)) == names{"table", "places.weight", "h.0", "h.1"});
  CHECK(layers_of(std::get<1>(two)) == names{"table", "norm.weight", "norm.bias", "h.2", "h.3", "h.4"});
}

TEST_CASE("a stage reads what it needs and gives what later stages need", "[shard]") {
  constexpr auto five = shard<5>(translator);
  using first = std::remove_cvref_t<decltype(std::get<0>(five))>;
  using last = std::remove_cvref_t<decltype(std::get<4>(five))>;
  static_assert(first::has_input("source") && first::has_input("lengths") && !first::has_input("target"));
  static_assert(!first::has_output("memory") && first::has_output("stage.0"));
  static_assert(last::has_input("lengths") && !last::has_input("source") && last::has_output("out"));
}
