#include <fovea/models/llama.hpp>

#include "../compare_backends.hpp"
#include "../training/loss_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using models::llama_config;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr llama_config tiny{
    .layers = 2, .heads = 4, .kv_heads = 2, .width = 32, .inner = 64, .vocab = 96, .epsilon = 1e-6};
constexpr llama_config wide{.layers = 6,
                            .heads = 6,
                            .kv_heads = 6,
                            .width = 288,
                            .inner = 768,
                            .vocab = 1000,
                            .epsilon = 1e-6,
                            .tied = true};

/// Layer after layer, with what each gives and its attention maps.
constexpr auto shown = model(
    "llama_shown",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {B, T}), words = models::llama_words(tokens, tiny);
      expr x = gather(words, tokens);
      g.output("hidden_states.0", x);
      for (int i = 0; i < tiny.layers; ++i) {
        const scope layer(x, "layers", i);
        x = models::llama_block(x, tiny);
        g.output(i == 0 ? "attentions.0" : "attentions.1", last_attention_map(x));
        if (i == 0) g.output("hidden_states.1", x);
      }
      x = rms_norm(x, "norm", {.epsilon = tiny.epsilon});
      g.output("hidden_states.2", x);
      g.output("logits", models::llama_scores(x, words, tiny));
    },
    models::llama_names<tiny>);

// TinyLlama: two tables of the vocabulary; in each layer query and projection of width^2, key and value of
// width x 256, three matrices width x inner, two norms; the last norm.
static_assert(2 * 32000 * 2048 + 22 * (2 * 2048 * 2048 + 2 * 2048 * 256 + 3 * 2048 * 5632 + 2 * 2048) +
                  2048 ==
              1'100'048'384);
static_assert(models::llama<models::tiny_llama>.parameters() == 1'100'048'384);

// Of 2 texts of 64 tokens, two operations each for: the weights of a layer's matrices, for each token; 2
// width numbers for each pair of positions; the scores of the vocabulary.
static_assert(
    models::llama<models::tiny_llama>.flops({{B, 2}, {T, 64}}) ==
    2 * 22 * (128LL * (2 * 2048 * 2048 + 2 * 2048 * 256 + 3 * 2048 * 5632) + 2LL * 2 * 64 * 64 * 2048) +
        2 * 128LL * 2048 * 32000);

// Heads wider than the width has room for: query and projection of 32 x 64, key and value of 32 x 32.
constexpr llama_config wide_heads = [] {
  llama_config c = tiny;
  c.head_width = 16;
  return c;
}();
static_assert(models::llama<wide_heads>.parameters() - models::llama<tiny>.parameters() ==
              2 * (2 * 32 * (64 - 32) + 2 * 32 * (32 - 16)));

} // namespace

TEST_CASE("Llama's heads may be of another width", "[llama]") {
  compare(models::llama<wide_heads>, {{"B", 2}, {"T", 7}});
}

TEST_CASE("Llama agrees with transformers' LlamaForCausalLM", "[llama]") {
  const golden_case c("hf_llama");
  on_both_backends([&](auto backend) {
    auto net = compile<decltype(backend)>(shown, weights_of(c), {.capacity = {{B, 2}, {T, 12}}});
    check_outputs<"hidden_states.0", "hidden_states.1", "hidden_states.2", "attentions.0", "attentions.1",
                  "logits">(c, net("tokens"_in = integers<2>(c, "ids")));

    auto repeated =
        compile<decltype(backend)>(models::llama<tiny>, weights_of(c), {.capacity = {{B, 2}, {T, 25}}});
    check_outputs<"logits">(c, repeated("tokens"_in = integers<2>(c, "ids")));
    check_greedy(c, [&](const auto& ids) { return repeated("tokens"_in = ids)["logits"_out]; });
  });
}

TEST_CASE("Llama's loss and gradients agree with transformers'", "[llama]") {
  const golden_case c("hf_llama");
  check_loss(models::llama_loss<tiny>, c, next_token_inputs(c));
}

TEST_CASE("a wider Llama with a tied table agrees with transformers, weights by formula", "[llama]") {
  const golden_case c("hf_llama_288_formula");
  const model_weights made = weights_of(c);
  on_both_backends([&](auto backend) {
    auto net = compile<decltype(backend)>(models::llama<wide>, made, {.capacity = {{B, 1}, {T, 24}}});
    const auto out = net("tokens"_in = integers<2>(c, "ids"));
    check_parts(c, "", out["logits"_out]);
    check_argmax(c, out["logits"_out]);
  });
}
