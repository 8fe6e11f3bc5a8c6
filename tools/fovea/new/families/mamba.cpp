#include "../family.hpp"

#include <fmt/format.h>

namespace tool {

model_plan plan_mamba(checkpoint& from) {
  settings& config = from.config;
  const int layers = config.whole("num_hidden_layers"), width = config.factor("hidden_size"),
            vocab = config.whole("vocab_size"), state = config.whole("state_size", 16),
            kernel = config.whole("conv_kernel", 4), expand = config.factor("expand", 2),
            inner = config.whole("intermediate_size", expand * width);
  if (inner != expand * width)
    config.fail("intermediate_size",
                fmt::format("expected {}, expand times hidden_size; found {}", expand * width, inner));
  const int rank = config.whole_or("time_step_rank", "auto", (width + 15) / 16);
  const double epsilon = config.number("layer_norm_epsilon", 1e-5);
  pass_over_common(config);
  config.one_of("hidden_act", {"silu"});
  config.expect("use_bias", false);
  config.expect("use_conv_bias", true);
  config.expect("tie_word_embeddings", true);
  // What the authors' settings say once more.
  config.expect("d_model", width), config.expect("n_layer", layers), config.expect("d_inner", inner),
      config.expect("rms_norm", true);
  config.expect("ssm_cfg", nlohmann::json::object());
  config.expect("time_step_scale", 1.0);
  config.pass_over({"fused_add_norm", "pad_vocab_size_multiple", "rescale_prenorm_residual",
                    "residual_in_fp32", "time_step_floor", "time_step_init_scheme", "time_step_max",
                    "time_step_min", "use_associative_scan", "use_mambapy"});

  tensor_list tensors(from, "backbone.");
  const std::string words = tensors.has("embedding.weight") ? "embedding.weight" : "embeddings.weight";
  tensors.expect(words, {vocab, width});
  if (tensors.has("lm_head.weight")) tensors.expect("lm_head.weight", {vocab, width});
  tensors.expect("norm_f.weight", {width});
  for (int i = 0; i < layers; ++i) {
    const std::string at = fmt::format("layers.{}.", i), mixer = at + "mixer.";
    tensors.expect(at + "norm.weight", {width});
    tensors.expect(mixer + "in_proj.weight", {2 * inner, width});
    tensors.expect(mixer + "conv1d.weight", {inner, 1, kernel});
    tensors.expect(mixer + "conv1d.bias", {inner});
    tensors.expect(mixer + "x_proj.weight", {rank + 2 * state, inner});
    tensors.expect(mixer + "dt_proj.weight", {inner, rank});
    tensors.expect(mixer + "dt_proj.bias", {inner});
    tensors.expect(mixer + "A_log", {inner, state});
    tensors.expect(mixer + "D", {inner});
    tensors.expect(mixer + "out_proj.weight", {width, inner});
  }
  tensors.finish(from.architecture);
  config.finish(from.architecture);
  return {"new/mamba.hpp.in",
          "decoder",
          "generate",
          {{"layers", std::to_string(layers)},
           {"width", std::to_string(width)},
           {"inner", std::to_string(inner)},
           {"vocab", std::to_string(vocab)},
           {"state", std::to_string(state)},
           {"rank", std::to_string(rank)},
           {"kernel", std::to_string(kernel)},
           {"context", "2048"},
           {"epsilon", number_text(epsilon, from)}},
          tensors.passed_over()};
}

} // namespace tool
