#include <fovea/models/gemma.hpp>

#include "decoder_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using models::gemma_config;

namespace {

constexpr gemma_config gemma2{.layers = 2,
                              .heads = 4,
                              .kv_heads = 2,
                              .width = 32,
                              .inner = 48,
                              .vocab = 96,
                              .head_width = 16,
                              .window = 5,
                              .period = 2,
                              .query_scalar = 12,
                              .score_cap = 4,
                              .logit_cap = 6};
constexpr gemma_config gemma3{.layers = 3,
                              .heads = 4,
                              .kv_heads = 2,
                              .width = 32,
                              .inner = 48,
                              .vocab = 96,
                              .head_width = 16,
                              .window = 5,
                              .period = 3,
                              .query_scalar = 16,
                              .base = 1000000,
                              .head_norm = true};

static_assert(models::gemma<models::gemma2_2b>.parameters() == 2'614'341'888);
static_assert(models::gemma<models::gemma3_1b>.parameters() == 999'885'952);

/// Layer after layer, with what each gives.
template <gemma_config c>
constexpr auto shown = model(
    "gemma_shown",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"}), words = models::gemma_words(tokens, c);
      expr x = models::gemma_embeddings(words, tokens, c);
      for (int i = 0; i < c.layers; ++i) {
        g.output(hidden_state_names[i], x);
        const scope layer(x, "layers", i);
        x = models::gemma_block(x, c, models::gemma_is_local(i, c));
      }
      x = rms_norm(x, "norm", {.epsilon = c.epsilon});
      g.output(hidden_state_names[c.layers], x);
      g.output("logits", models::gemma_scores(x, words, c));
    },
    models::gemma_names);

} // namespace

TEST_CASE("Gemma 2 agrees with transformers' Gemma2ForCausalLM", "[gemma]") {
  check_decoder(case_of_today("gemma2"), shown<gemma2>, models::gemma<gemma2>, models::gemma_loss<gemma2>);
}

TEST_CASE("Gemma 3 agrees with transformers' Gemma3ForCausalLM", "[gemma]") {
  check_decoder(case_of_today("gemma3"), shown<gemma3>, models::gemma<gemma3>, models::gemma_loss<gemma3>);
}

TEST_CASE("Gemma's table reads llama.cpp's files", "[gemma]") {
  const golden_case two = case_of_today("gemma2"), three = case_of_today("gemma3");
  check_gguf(two, models::gemma<gemma2>, as_gguf(two, true));
  check_gguf(three, models::gemma<gemma3>, as_gguf(three, true));
}
