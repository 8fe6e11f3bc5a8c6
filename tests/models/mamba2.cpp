#include <fovea/models/mamba2.hpp>

#include "decoder_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using namespace fovea::models;

namespace {

constexpr mamba2_config tiny{.layers = 2, .width = 32, .heads = 8, .vocab = 96, .head_width = 8, .state = 8};
constexpr mamba2_config odd{.layers = 2,
                            .width = 11,
                            .heads = 6,
                            .vocab = 13,
                            .head_width = 3,
                            .groups = 2,
                            .state = 5,
                            .window = 3,
                            .tied = false};

// As transformers counts the published models.
static_assert(mamba2<mamba2_130m>.parameters() == 128'989'632);
static_assert(mamba2<mamba2_2_7b>.parameters() == 2'702'599'680);
static_assert(mamba2<mamba_codestral>.parameters() == 7'285'403'648);

/// Layer after layer, with what each gives.
constexpr auto shown = model(
    "mamba2_shown",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"}), words = mamba2_words(tokens, tiny);
      expr x = gather(words, tokens);
      for (int i = 0; i < tiny.layers; ++i) {
        const scope layer(x, "layers", i);
        x = mamba2_block(x, tiny);
        g.output(hidden_state_names[i], x);
      }
      x = rms_norm(x, "norm_f", {.epsilon = tiny.epsilon});
      g.output(hidden_state_names[tiny.layers], x);
      g.output("logits", mamba2_scores(x, words, tiny));
    },
    mamba2_names<tiny>);

} // namespace

TEST_CASE("Mamba-2 agrees with transformers' Mamba2ForCausalLM", "[mamba2]") {
  check_decoder(case_of_today("mamba2"), shown, mamba2<tiny>, mamba2_loss<tiny>);
}

TEST_CASE("Mamba-2 of groups is the same on both backends, and streams", "[mamba2]") {
  compare_at_awkward_sizes(mamba2<odd>);
  check_stream<dim{"T"}>(mamba2<odd>, {{"B", 2}, {"T", 7}});
}
