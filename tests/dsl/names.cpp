#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "outputs.hpp"

using namespace fovea;
using namespace fovea::core;

namespace {

constexpr dim B{"B"}, T{"T"};

struct gpt_config {
  int layers, heads, width, vocab, context;
};

constexpr expr block(expr x, gpt_config c) {
  expr h = layer_norm(x, "ln_1");
  expr a = attention(linear(h, "attn.q", c.width), linear(h, "attn.k", c.width), linear(h, "attn.v", c.width),
                     {.heads = c.heads, .mask = causal});
  x = x + linear(a, "attn.proj", c.width);
  h = layer_norm(x, "ln_2");
  return x + linear(gelu(linear(h, "mlp.up", 4 * c.width)), "mlp.down", c.width);
}

constexpr expr gpt_logits(expr tokens, gpt_config c) {
  expr wte = parameter(tokens, "wte", {c.vocab, c.width}, init::normal(0.02));
  expr x = gather(wte, tokens) + learned_positions(tokens, "wpe", {.context = c.context, .width = c.width});
  x = repeat("h", c.layers, x, [c](expr y) { return block(y, c); });
  return matmul(layer_norm(x, "ln_f"), transpose(wte));
}

template <gpt_config c>
constexpr auto gpt = model("gpt", [](graph& g) {
  g.output("logits", gpt_logits(g.input<i32>("tokens", {B, T}), c));
});

/// The same layers, written out one after the other.
template <gpt_config c>
constexpr auto unrolled = model("unrolled", [](graph& g) {
  expr tokens = g.input<i32>("tokens", {B, T});
  expr wte = parameter(tokens, "wte", {c.vocab, c.width});
  expr x = gather(wte, tokens) + learned_positions(tokens, "wpe", {.context = c.context, .width = c.width});
  for (int i = 0; i < c.layers; ++i) {
    auto layer = scope(x, "h", i);
    x = block(x, c);
  }
  g.output("logits", matmul(layer_norm(x, "ln_f"), transpose(wte)));
});

constexpr gpt_config gpt2_small{.layers = 12, .heads = 12, .width = 768, .vocab = 50257, .context = 1024};

std::vector<std::string> names_of(const graph_view& m) {
  std::vector<std::string> names;
  for (int i = 0; i < static_cast<int>(m.parameters.size()); ++i)
    names.emplace_back(m.parameter_name(i).text);
  return names;
}

constexpr auto scoped = model("scoped", [](graph& g) {
  expr x = g.input<f32>("x", {B, 4});
  expr shared = parameter(x, "shared", {4, 4});
  {
    auto encoder = scope(x, "encoder");
    auto layer = scope(x, "layer", 7);
    x = matmul(x, shared);
    x = linear(x, "q", 4, {.bias = false});
    x = repeat("sub", 2, x, [](expr y) {
      return repeat("inner", 3, y, [](expr z) { return rms_norm(z, "norm"); }, {.first = 5});
    });
  }
  g.output("y", batch_norm(matmul(x, shared), "bn"));
});

constexpr auto followed = model("followed", [](graph& g) {
  expr x = g.input<f32>("x", {B, 4});
  x = repeat("h", 2, x, [](expr y) { return linear(y, "w", 4); });
  g.output("y", repeat("h", 3, x, [](expr y) { return linear(y, "w", 4); }, {.first = 2}));
});

} // namespace

static_assert(gpt<gpt2_small>.parameters() == 124'439'808);
static_assert(unrolled<gpt2_small>.parameters() == 124'439'808);

TEST_CASE("a repeated layer is one key") {
  const std::vector<std::string> expected = {
      "wte",
      "wpe.weight",
      "h.*.ln_1.weight",
      "h.*.ln_1.bias",
      "h.*.attn.q.weight",
      "h.*.attn.q.bias",
      "h.*.attn.k.weight",
      "h.*.attn.k.bias",
      "h.*.attn.v.weight",
      "h.*.attn.v.bias",
      "h.*.attn.proj.weight",
      "h.*.attn.proj.bias",
      "h.*.ln_2.weight",
      "h.*.ln_2.bias",
      "h.*.mlp.up.weight",
      "h.*.mlp.up.bias",
      "h.*.mlp.down.weight",
      "h.*.mlp.down.bias",
      "ln_f.weight",
      "ln_f.bias",
  };
  CHECK(names_of(gpt<gpt2_small>.view) == expected);
  CHECK(names_of(unrolled<gpt2_small>.view).size() == 4 + 12 * 16);
  CHECK(names_of(unrolled<gpt2_small>.view)[2 + 16 * 11] == "h.11.ln_1.weight");
}

TEST_CASE("scopes nest, number and end") {
  const std::vector<std::string> expected = {
      "shared",
      "encoder.layer.7.q.weight",
      "encoder.layer.7.sub.*.inner.*.norm.weight",
      "bn.weight",
      "bn.bias",
      "bn.running_mean",
      "bn.running_var",
  };
  CHECK(names_of(scoped.view) == expected);
  CHECK(scoped.parameters() == 16 + 16 + 2 * 3 * 4 + 4 * 4);
}

TEST_CASE("layers are counted through all repeats, the innermost fastest") {
  const graph_view m = scoped.view;
  CHECK(m.layers(m.parameters[2].node) == 6);
  CHECK(std::string(m.parameter_name(2, 0).text) == "encoder.layer.7.sub.0.inner.5.norm.weight");
  CHECK(std::string(m.parameter_name(2, 4).text) == "encoder.layer.7.sub.1.inner.6.norm.weight");
}

TEST_CASE("a repeat may take up another's numbering") {
  const graph_view m = followed.view;
  CHECK(followed.parameters() == 5 * 20);
  CHECK(std::string(m.parameter_name(0, 1).text) == "h.1.w.weight");
  CHECK(std::string(m.parameter_name(2, 0).text) == "h.2.w.weight");
}
