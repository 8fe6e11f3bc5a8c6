#include "../compare_backends.hpp"
#include "../training/loss_case.hpp"

#include <fovea/models/mamba.hpp>

using namespace fovea;
using namespace fovea::models;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr mamba_config tiny{.layers = 2, .width = 24, .inner = 48, .vocab = 64, .state = 8, .rank = 4};
constexpr mamba_config odd{
    .layers = 2, .width = 11, .inner = 19, .vocab = 13, .state = 5, .rank = 3, .window = 3};

/// Layer after layer.
constexpr auto shown = model(
    "mamba_shown",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {B, T});
      expr x = gather(mamba_words(tokens, tiny), tokens);
      for (int i = 0; i < tiny.layers; ++i) {
        const scope layer(x, "layers", i);
        x = mamba_block(x, tiny);
        g.output(i == 0 ? "hidden_states.0" : "hidden_states.1", x);
      }
      g.output("hidden_states.2", rms_norm(x, "norm_f", {.epsilon = tiny.epsilon}));
    },
    mamba_names);

// A table of words; in each layer the maps in and out, the convolution with its bias, the map to step
// lengths, what is written and what is read, the step lengths' own with its bias, the rates, D, a norm; the
// last norm.
static_assert(50280 * 768 +
                  24 * (2 * 1536 * 768 + 768 * 1536 + 1536 * 4 + 1536 + 1536 * (48 + 32) + 1536 * 48 + 1536 +
                        1536 * 16 + 1536 + 768) +
                  768 ==
              129'135'360);
static_assert(mamba<mamba_130m>.parameters() == 129'135'360);

} // namespace

TEST_CASE("Mamba agrees with transformers' MambaForCausalLM", "[mamba]") {
  const golden_case c("hf_mamba");
  on_both_backends([&](auto backend) {
    auto layers = compile<decltype(backend)>(shown, weights_of(c), {.capacity = {{B, 2}, {T, 10}}});
    check_outputs<"hidden_states.0", "hidden_states.1", "hidden_states.2">(
        c, layers("tokens"_in = integers<2>(c, "ids")));

    auto net = compile<decltype(backend)>(mamba<tiny>, weights_of(c), {.capacity = {{B, 2}, {T, 25}}});
    check_outputs<"logits">(c, net("tokens"_in = integers<2>(c, "ids")));
    check_greedy(c, [&](const auto& ids) { return net("tokens"_in = ids)["logits"_out]; });
  });
}

TEST_CASE("Mamba's loss and gradients agree with transformers'", "[mamba]") {
  const golden_case c("hf_mamba");
  check_loss(models::mamba_loss<tiny>, c, next_token_inputs(c));
}

TEST_CASE("Mamba is the same on both backends", "[mamba]") { compare_at_awkward_sizes(mamba<odd>); }

TEST_CASE("Mamba's table reads the authors' names", "[mamba]") {
  const golden_case c("hf_mamba");
  auto theirs = parameters_of(c);
  theirs["backbone.embedding.weight"] = theirs.at("backbone.embeddings.weight");
  theirs["lm_head.weight"] = theirs.at("backbone.embeddings.weight");
  theirs.erase("backbone.embeddings.weight");
  auto net = compile(mamba<tiny>, model_weights::from(theirs), {.capacity = {{B, 2}, {T, 10}}});
  check_outputs<"logits">(c, net("tokens"_in = integers<2>(c, "ids")));
}
