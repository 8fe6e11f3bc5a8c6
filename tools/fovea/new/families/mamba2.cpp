#include "catalogue.hpp"

#include "../config_json.hpp"

#include <fmt/format.h>

namespace tool {

model_plan plan_mamba2(checkpoint& from) {
  settings& config = from.config;
  const int layers = config.whole("num_hidden_layers"), width = config.factor("hidden_size"),
            heads = config.factor("num_heads"), head_width = config.factor("head_dim"),
            vocab = config.whole("vocab_size"), groups = config.factor("n_groups"),
            state = config.factor("state_size"), window = config.whole("conv_kernel", 4),
            inner = config.factor("expand", 2) * width;
  const double epsilon = config.number("layer_norm_epsilon", 1e-5);
  if (heads * head_width != inner)
    config.fail("num_heads",
                fmt::format("expected {} heads of head_dim {}, expand times hidden_size {} in all; found {}",
                            inner / head_width, head_width, inner, heads));
  if (heads % groups != 0)
    config.fail("n_groups", fmt::format("expected a divisor of num_heads {}; found {}", heads, groups));
  pass_over_common(config);
  config.one_of("hidden_act", {"silu"});
  config.expect("use_bias", false);
  config.expect("use_conv_bias", true);
  config.expect("rms_norm", true);
  config.expect("time_step_limit", nlohmann::json{0.0, infinity_text});
  config.pass_over({"chunk_size", "fused_add_norm", "pad_vocab_size_multiple", "rescale_prenorm_residual",
                    "residual_in_fp32", "time_step_floor", "time_step_init_scheme", "time_step_max",
                    "time_step_min", "time_step_rank"});
  tensor_list tensors(from, "backbone.");
  const bool tied = is_tied(from, tensors, false);

  tensors.expect("embeddings.weight", {vocab, width});
  if (!tied || tensors.has("lm_head.weight")) tensors.expect("lm_head.weight", {vocab, width});
  tensors.expect("norm_f.weight", {width});
  const int mixed = inner + 2 * groups * state;
  for (int i = 0; i < layers; ++i) {
    const std::string at = fmt::format("layers.{}.", i), mixer = at + "mixer.";
    tensors.expect(at + "norm.weight", {width});
    tensors.expect(mixer + "in_proj.weight", {inner + mixed + heads, width});
    tensors.expect(mixer + "conv1d.weight", {mixed, 1, window});
    tensors.expect(mixer + "conv1d.bias", {mixed});
    for (const char* one : {"A_log", "D", "dt_bias"}) tensors.expect(mixer + one, {heads});
    tensors.expect(mixer + "norm.weight", {inner});
    tensors.expect(mixer + "out_proj.weight", {width, inner});
  }
  tensors.finish(from.architecture);
  config.finish(from.architecture);
  constexpr int context = 2048; // it knows no bound
  return catalogue_decoder({"mamba2", "mamba2_config", "mamba2_names<sizes>", "mamba2_logits",
                            "mamba2_block, head_state_space, group_rms_norm"},
                           {{"layers", std::to_string(layers)},
                            {"width", std::to_string(width)},
                            {"heads", std::to_string(heads)},
                            {"vocab", std::to_string(vocab)},
                            {"head_width", std::to_string(head_width)},
                            {"groups", std::to_string(groups)},
                            {"state", std::to_string(state)},
                            {"window", std::to_string(window)},
                            {"tied", bool_text(tied)},
                            {"epsilon", number_text(epsilon, from)}},
                           context);
}

} // namespace tool
