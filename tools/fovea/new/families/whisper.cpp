#include "../family.hpp"

#include <fmt/format.h>

namespace tool {

model_plan plan_whisper(checkpoint& from) {
  settings& config = from.config;
  const int layers = config.whole("encoder_layers"), decoder_layers = config.whole("decoder_layers"),
            heads = config.factor("encoder_attention_heads"), width = config.factor("d_model"),
            inner = config.whole("encoder_ffn_dim"), vocab = config.whole("vocab_size"),
            mels = config.factor("num_mel_bins", 80), positions = config.factor("max_source_positions", 1500),
            context = config.whole("max_target_positions", 448);
  check_heads(config, "d_model", width, "encoder_attention_heads", heads);
  config.expect("decoder_attention_heads", heads);
  config.expect("decoder_ffn_dim", inner);
  config.one_of("activation_function", {"gelu"});
  config.expect("scale_embedding", false);
  config.expect("tie_word_embeddings", true);
  pass_over_common(config, true);
  config.pass_over({"activation_dropout", "apply_spec_augment", "classifier_proj_size", "decoder_layerdrop",
                    "decoder_start_token_id", "encoder_layerdrop", "forced_decoder_ids", "init_std",
                    "mask_feature_length", "mask_feature_min_masks", "mask_feature_prob", "mask_time_length",
                    "mask_time_min_masks", "mask_time_prob", "median_filter_width", "num_hidden_layers",
                    "use_weighted_layer_sum"}); // of training, of other heads, or said again

  tensor_list tensors(from, "model.");
  const auto expect_norm = [&](const std::string& name) { tensors.expect_biased(name, {width}); };
  tensors.expect("decoder.embed_tokens.weight", {vocab, width});
  if (tensors.has("proj_out.weight")) tensors.expect("proj_out.weight", {vocab, width});
  tensors.expect_biased("encoder.conv1", {width, mels, 3});
  tensors.expect_biased("encoder.conv2", {width, width, 3});
  tensors.expect("encoder.embed_positions.weight", {positions, width});
  tensors.expect("decoder.embed_positions.weight", {context, width});
  for (const std::string stack : {"encoder", "decoder"}) {
    const bool decoder = stack == "decoder";
    expect_norm(stack + ".layer_norm");
    for (int i = 0; i < (decoder ? decoder_layers : layers); ++i) {
      const std::string at = fmt::format("{}.layers.{}.", stack, i);
      const auto expect_attention = [&](const std::string& name) {
        for (const char* part : {".q_proj", ".v_proj", ".out_proj"})
          tensors.expect_biased(at + name + part, {width, width});
        tensors.expect(at + name + ".k_proj.weight", {width, width});
        expect_norm(at + name + "_layer_norm");
      };
      expect_attention("self_attn");
      if (decoder) expect_attention("encoder_attn");
      tensors.expect_biased(at + "fc1", {inner, width});
      tensors.expect_biased(at + "fc2", {width, inner});
      expect_norm(at + "final_layer_norm");
    }
  }
  tensors.finish(from.architecture);
  config.finish(from.architecture);
  return {"new/whisper.hpp.in",
          "speech",
          "transcribe",
          {{"layers", std::to_string(layers)},
           {"decoder_layers", std::to_string(decoder_layers)},
           {"heads", std::to_string(heads)},
           {"width", std::to_string(width)},
           {"inner", std::to_string(inner)},
           {"vocab", std::to_string(vocab)},
           {"mels", std::to_string(mels)},
           {"frames", std::to_string(2 * positions)},
           {"context", std::to_string(context)}},
          tensors.passed_over(),
          {"B", "T"}};
}

} // namespace tool
