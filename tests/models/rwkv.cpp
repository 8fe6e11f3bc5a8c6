#include "../compare_backends.hpp"
#include "../training/loss_case.hpp"

#include <fovea/models/rwkv.hpp>

using namespace fovea;
using namespace fovea::models;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr rwkv_config tiny{.version = rwkv_version::v4,
                           .layers = 2,
                           .width = 24,
                           .inner = 48,
                           .vocab = 64,
                           .logarithm_of_rate = true};

template <rwkv_version version>
constexpr rwkv_config odd{.version = version,
                          .layers = 3,
                          .width = 15,
                          .inner = 22,
                          .vocab = 13,
                          .heads = version == rwkv_version::v4 ? 1 : 3,
                          .decay_rank = 4,
                          .rate_rank = 3,
                          .value_rank = 2,
                          .gate_rank = 6,
                          .logarithm_of_rate = true};

// Version 4: a table of words and a head; in each layer two norms, four vectors and four matrices of the
// attention with its three mixes, three matrices of the feed-forward layer with its two mixes; the first and
// the last norm.
static_assert(2 * 50277 * 768 +
                  12 * (4 * 768 + 2 * 768 + 3 * 768 + 4 * 768 * 768 + 2 * 768 + 768 * 768 + 2 * 768 * 3072) +
                  4 * 768 ==
              169'342'464);
static_assert(rwkv<rwkv4_169m>.parameters() == 169'342'464);

/// Layer after layer.
constexpr auto shown = model(
    "rwkv_shown",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {B, T});
      expr x = layer_norm(embedding(tokens, "emb", tiny.vocab, tiny.width), "blocks.0.ln0");
      for (int i = 0; i < tiny.layers; ++i) {
        const scope layer(x, "blocks", i);
        x = rwkv_block(x, {}, tiny).output;
        g.output(i == 0 ? "hidden_states.0" : "hidden_states.1", x);
      }
      x = layer_norm(x, "ln_out");
      g.output("hidden_states.2", x);
      g.output("logits", rwkv_projected(x, "head", tiny.vocab));
    },
    rwkv_names);

} // namespace

TEST_CASE("RWKV 4 agrees with transformers' RwkvForCausalLM", "[rwkv]") {
  const golden_case c("hf_rwkv");
  on_both_backends([&](auto backend) {
    auto layers = compile<decltype(backend)>(shown, weights_of(c), {.capacity = {{B, 2}, {T, 10}}});
    check_outputs<"hidden_states.0", "hidden_states.1", "hidden_states.2", "logits">(
        c, layers("tokens"_in = integers<2>(c, "ids")));

    auto net = compile<decltype(backend)>(rwkv<tiny>, weights_of(c), {.capacity = {{B, 2}, {T, 25}}});
    check_outputs<"logits">(c, net("tokens"_in = integers<2>(c, "ids")));
    check_greedy(c, [&](const auto& ids) { return net("tokens"_in = ids)["logits"_out]; });
  });
}

TEST_CASE("RWKV 4's loss and gradients agree with transformers'", "[rwkv]") {
  const golden_case c("hf_rwkv");
  check_loss(models::rwkv_loss<tiny>, c, next_token_inputs(c));
}

TEST_CASE("RWKV 4, 5 and 7 are the same on both backends", "[rwkv]") {
  compare_at_awkward_sizes(rwkv<odd<rwkv_version::v4>>);
  compare_at_awkward_sizes(rwkv<odd<rwkv_version::v5>>);
  compare_at_awkward_sizes(rwkv<odd<rwkv_version::v7>>);
}
