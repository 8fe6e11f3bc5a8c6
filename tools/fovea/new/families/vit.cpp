#include "../family.hpp"

#include <fmt/format.h>

namespace tool {

model_plan plan_vit(checkpoint& from) {
  settings& config = from.config;
  const int layers = config.whole("num_hidden_layers"), heads = config.factor("num_attention_heads"),
            width = config.factor("hidden_size"), inner = config.whole("intermediate_size"),
            image = config.factor("image_size"), patch = config.factor("patch_size"),
            channels = config.factor("num_channels", 3);
  const double epsilon = config.number("layer_norm_eps", 1e-12);
  check_heads(config, "hidden_size", width, "num_attention_heads", heads);
  if (image % patch != 0)
    config.fail("patch_size", fmt::format("expected a divisor of image_size {}; found {}", image, patch));
  pass_over_common(config);
  config.one_of("hidden_act", {"gelu"});
  config.expect("qkv_bias", true);
  config.pass_over({"encoder_stride", "pooler_act", "pooler_output_size"}); // of heads that this class lacks

  tensor_list tensors(from, "");
  const int classes = classes_of(config, tensors, "classifier.weight"), side = image / patch;
  tensors.expect_biased("classifier", {classes, width});
  tensors.expect("vit.embeddings.cls_token", {1, 1, width});
  tensors.expect("vit.embeddings.position_embeddings", {1, side * side + 1, width});
  tensors.expect_biased("vit.embeddings.patch_embeddings.projection", {width, channels, patch, patch});
  tensors.expect_biased("vit.layernorm", {width});
  const bool old = tensors.has("vit.encoder.layer.0.layernorm_before.weight"); // before transformers 5
  for (int i = 0; i < layers; ++i) {
    const std::string at = fmt::format(fmt::runtime(old ? "vit.encoder.layer.{}." : "vit.layers.{}."), i);
    for (const char* norm : {"layernorm_before", "layernorm_after"})
      tensors.expect_biased(at + norm, {width});
    for (const char* part :
         old ? std::array{"attention.attention.query", "attention.attention.key", "attention.attention.value",
                          "attention.output.dense"}
             : std::array{"attention.q_proj", "attention.k_proj", "attention.v_proj", "attention.o_proj"})
      tensors.expect_biased(at + part, {width, width});
    tensors.expect_biased(at + (old ? "intermediate.dense" : "mlp.fc1"), {inner, width});
    tensors.expect_biased(at + (old ? "output.dense" : "mlp.fc2"), {width, inner});
  }
  tensors.finish(from.architecture);
  config.finish(from.architecture);
  return {"new/vit.hpp.in",
          "classifier",
          "run",
          {{"layers", std::to_string(layers)},
           {"heads", std::to_string(heads)},
           {"width", std::to_string(width)},
           {"inner", std::to_string(inner)},
           {"image", std::to_string(image)},
           {"patch", std::to_string(patch)},
           {"channels", std::to_string(channels)},
           {"classes", std::to_string(classes)},
           {"epsilon", number_text(epsilon, from)}},
          tensors.passed_over(),
          {"B"}};
}

} // namespace tool
