#include "run_model.hpp"

#include <fovea/models/vit.hpp>

using namespace fovea;
using namespace fovea::models;
using namespace fovea::test;

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

} // namespace

TEST_CASE("ViT agrees with transformers' ViTForImageClassification", "[vit]") {
  const golden_case c("hf_vit");
  check_outputs(shown, c, weights_of(c));
  // The same with one repeat, whose images have their channels last.
  const golden_tensor& pixels = c.at("input.pixels");
  golden_tensor turned{{2, 16, 16, 3}, std::vector<double>(pixels.values.size()), false};
  for (std::size_t b = 0; b < 2; ++b)
    for (std::size_t channel = 0; channel < 3; ++channel)
      for (std::size_t place = 0; place < 256; ++place)
        turned.values[(b * 256 + place) * 3 + channel] = pixels.values[(b * 3 + channel) * 256 + place];
  const named_values out = run_model<f32>(vit<tiny>, weights_of(c), {{"pixels", turned}});
  check(c, "output.logits", std::span<const double>(out.at("logits").values), out.at("logits").shape);
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
  check_outputs(shown, c, weights::from(old));
}
