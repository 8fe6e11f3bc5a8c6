#include "../training/loss_case.hpp"

#include <fovea/models/vit.hpp>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::models;
using namespace fovea::core::test;

namespace {

constexpr vit_config tiny{
    .layers = 2, .heads = 4, .width = 32, .inner = 64, .image = 16, .patch = 4, .classes = 5};

static_assert(vit<vit_base>.parameters() == 86'567'656); // as transformers counts google/vit-base-patch16-224

/// Layer after layer, with what each gives and its attention maps.
constexpr auto shown = model(
    "vit_shown",
    [](graph& g) {
      expr x = vit_embeddings(permute(g.input<f32>("pixels", {"B", 3, 16, 16}), {0, 2, 3, 1}), tiny);
      g.output("hidden_states.0", x);
      for (int i = 0; i < tiny.layers; ++i) {
        const scope layer(x, "layers", i);
        x = encoder_block(x, {}, vit_block(tiny));
        g.output(i == 0 ? "attentions.0" : "attentions.1", last_attention_map(x));
        g.output(i == 0 ? "hidden_states.1" : "hidden_states.2", x);
      }
      g.output("logits", vit_scores(x, tiny));
    },
    vit_names);

/// With one repeat, and the loss.
constexpr auto learned = model(
    "vit_learned",
    [](graph& g) {
      const expr pixels = permute(g.input<f32>("pixels", {"B", 3, 16, 16}), {0, 2, 3, 1});
      const expr logits = vit_logits(pixels, tiny);
      g.output("logits", logits);
      g.output("loss", cross_entropy(logits, g.input<i32>("targets", {"B"})));
    },
    vit_names);

} // namespace

TEST_CASE("ViT agrees with transformers' ViTForImageClassification", "[vit]") {
  const golden_case c("hf_vit");
  check_outputs(shown, c, weights_of(c), inputs_of(c));
}

TEST_CASE("ViT's loss and gradients agree with transformers'", "[vit]") {
  const golden_case c("hf_vit");
  check_loss(learned, c, inputs_of(c, {{"targets", "labels"}}));
}

TEST_CASE("ViT loads checkpoints under the names of earlier transformers", "[vit]") {
  const golden_case c("hf_vit");
  const std::pair<const char*, const char*> renamed[] = {
      {".attention.q_proj.", ".attention.attention.query."},
      {".attention.k_proj.", ".attention.attention.key."},
      {".attention.v_proj.", ".attention.attention.value."},
      {".attention.o_proj.", ".attention.output.dense."},
      {".mlp.fc1.", ".intermediate.dense."},
      {".mlp.fc2.", ".output.dense."},
      {"vit.layers.", "vit.encoder.layer."}};
  std::map<std::string, weight_tensor> old;
  for (const auto& [now_named, tensor] : parameters_of(c)) {
    std::string name = now_named;
    for (const auto& [now, then] : renamed)
      if (const std::size_t at = name.find(now); at != std::string::npos)
        name.replace(at, std::string(now).size(), then);
    old[name] = tensor;
  }
  check_outputs(shown, c, model_weights::from(old), inputs_of(c));
}
