#include <fovea/models/gpt2.hpp>

#include "../training/loss_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using models::gpt2_config;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr gpt2_config tiny{.layers = 2, .heads = 4, .width = 32, .vocab = 96, .context = 64};
constexpr gpt2_config base{.layers = 12, .heads = 12, .width = 768, .vocab = 1000, .context = 128};

/// Layer after layer, with what each gives and its attention maps.
constexpr auto shown = model(
    "gpt2_shown",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {B, T}), words = models::gpt2_words(tokens, tiny);
      expr x = models::gpt2_embeddings(words, tokens, tiny);
      g.output("hidden_states.0", x);
      for (int i = 0; i < tiny.layers; ++i) {
        const scope layer(x, "h", i);
        x = models::gpt2_block(x, tiny);
        g.output(i == 0 ? "attentions.0" : "attentions.1", last_attention_map(x));
        if (i == 0) g.output("hidden_states.1", x);
      }
      x = layer_norm(x, "ln_f");
      g.output("hidden_states.2", x);
      g.output("logits", matmul(x, transpose(words)));
    },
    models::gpt2_names<tiny>);

// GPT-2 small: tables of tokens and positions; in each layer 4 width^2 + 4 width of attention, 8 width^2 + 5
// width of the feed-forward layer, 4 width of norms; the last norm.
static_assert(50257 * 768 + 1024 * 768 + 12 * (12 * 768 * 768 + 13 * 768) + 2 * 768 == 124'439'808);
static_assert(models::gpt2<models::gpt2_small>.parameters() == 124'439'808);

// Of 128 tokens, two operations each for: 12 width^2 weights a token and layer; 2 width numbers a pair of
// positions and layer (scores, then values); the scores of the vocabulary.
static_assert(models::gpt2<models::gpt2_small>.flops({{B, 1}, {T, 128}}) ==
              2LL * 12 * (128 * 12 * 768 * 768 + 2 * 128 * 128 * 768) + 2LL * 128 * 768 * 50257);
static_assert(models::gpt2<models::gpt2_small>.flops({{B, 1}, {T, 128}}) < 40'000'000'000);

} // namespace

TEST_CASE("GPT-2 agrees with transformers' GPT2LMHeadModel", "[gpt2]") {
  const golden_case c("hf_gpt2");
  on_both_backends([&](auto backend) {
    auto net = compile<decltype(backend)>(shown, weights_of(c), {.capacity = {{B, 2}, {T, 12}}});
    check_outputs<"hidden_states.0", "hidden_states.1", "hidden_states.2", "attentions.0", "attentions.1",
                  "logits">(c, net("tokens"_in = integers<2>(c, "ids")));

    auto repeated = compile<decltype(backend)>(models::gpt2<tiny>, weights_of(c), {.capacity = {{B, 2}}});
    check_outputs<"logits">(c, repeated("tokens"_in = integers<2>(c, "ids")));
    check_greedy(c, [&](const auto& ids) { return repeated("tokens"_in = ids)["logits"_out]; });
  });
}

TEST_CASE("GPT-2's loss and gradients agree with transformers'", "[gpt2]") {
  const golden_case c("hf_gpt2");
  check_loss(models::gpt2_loss<tiny>, c, next_token_inputs(c));
}

TEST_CASE("GPT-2 of the base size agrees with transformers, weights by formula", "[gpt2]") {
  const golden_case c("hf_gpt2_base_formula");
  const model_weights made = weights_of(c);
  on_both_backends([&](auto backend) {
    auto net = compile<decltype(backend)>(models::gpt2<base>, made, {.capacity = {{B, 2}, {T, 16}}});
    const auto out = net("tokens"_in = integers<2>(c, "ids"));
    check_parts(c, "", out["logits"_out]);
    check_argmax(c, out["logits"_out]);
  });
}
