#include <fovea/models/xlstm.hpp>

#include "decoder_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using namespace fovea::models;

namespace {

constexpr xlstm_config tiny{.layers = 2, .heads = 4, .width = 32, .inner = 88, .vocab = 96, .key_width = 16};
// As transformers counts the published model.
static_assert(xlstm<xlstm_7b>.parameters() == 6'865'424'896);

/// Layer after layer, with what each reads.
constexpr auto shown = model(
    "xlstm_shown",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"});
      expr x = embedding(tokens, "embeddings", tiny.vocab, tiny.width);
      for (int i = 0; i < tiny.layers; ++i) {
        g.output(hidden_state_names[i], x);
        const scope layer(x, "blocks", i);
        x = xlstm_block(x, tiny);
      }
      x = rms_norm(x, "out_norm", {.epsilon = tiny.epsilon});
      g.output(hidden_state_names[tiny.layers], x);
      g.output("logits", xlstm_scores(x, tiny));
    },
    xlstm_names);

constexpr auto memory = model("xlstm_memory", [](graph& g) {
  const expr q = g.input<f32>("q", {"B", "T", 3, 5}), k = g.input<f32>("k", {"B", "T", 3, 5}),
             v = g.input<f32>("v", {"B", "T", 3, 7});
  const expr write = g.input<f32>("write", {"B", "T", 3}), keep = g.input<f32>("keep", {"B", "T", 3});
  g.output("read", matrix_memory(q, k, v, write, keep, 1e-6));
});

} // namespace

TEST_CASE("xLSTM agrees with transformers' xLSTMForCausalLM", "[xlstm]") {
  const golden_case c = case_of_today("xlstm");
  const named_values texts = inputs_of(c, {{"tokens", "ids"}});
  check_outputs(shown, c, weights_of(c), texts);
  check_loss(xlstm_loss<tiny>, c, next_token_inputs(c));
  check_stream<dim{"T"}>(xlstm<tiny>, texts, weights_of(c));
}

// The memory alone: the norm of what it reads makes of a product that is nearly zero as much as of any other.
TEST_CASE("xLSTM's memory is the same on both backends", "[xlstm]") { compare_at_awkward_sizes(memory); }
