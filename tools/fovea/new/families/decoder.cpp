#include "decoder_sizes.hpp"
#include "gguf_names.hpp"
#include "rotary.hpp"

#include "../../failure.hpp"

#include <fovea/base/in_quotes.hpp>

#include <fmt/format.h>

namespace tool {
namespace {

/// How many tokens a query sees, 0: all before it. Layers that differ are refused.
int window_of(settings& config, bool mistral) {
  const bool used = config.flag("use_sliding_window", mistral);
  const int size = used ? config.whole("sliding_window", 0) : 0;
  config.pass_over({"sliding_window", "max_window_layers"});
  if (used && !mistral)
    config.fail("use_sliding_window",
                "expected false: a window of some layers alone is not known; found true");
  for (const std::string& one : config.texts("layer_types"))
    if (one != (size > 0 ? "sliding_attention" : "full_attention"))
      config.fail("layer_types", std::string("expected every layer to be of ") +
                                     (size > 0 ? "sliding_attention" : "full_attention") + "; found " +
                                     fovea::core::in_quotes(one));
  return size;
}

} // namespace

model_plan plan_decoder(checkpoint& from) {
  settings& config = from.config;
  const std::string& name = from.architecture;
  const bool qwen2 = name.starts_with("Qwen2") || name == "qwen2",
             qwen3 = name.starts_with("Qwen3") || name == "qwen3", mistral = name.starts_with("Mistral");
  tensor_list tensors(from, "model.");
  if (from.gguf) call_as_gguf(from, tensors);

  const decoder_sizes s = decoder_sizes_of(config, 1e-6);
  const auto& [layers, heads, kv_heads, head_width, width, inner, context, epsilon] = s;
  const int vocab = vocab_of(from, tensors);
  pass_over_common(config);
  const rotary_positions positions = rotary_of_decoder(from, tensors, s);
  const int window = from.gguf ? config.count("sliding_window") : window_of(config, mistral);
  config.one_of("hidden_act", {"silu"});
  const bool attention_bias = config.flag("attention_bias", false), mlp_bias = config.flag("mlp_bias", false);
  config.pass_over(
      {"pretraining_tp", "is_llama_config", "transformers.js_config"}); // how it is run elsewhere
  config.expect("rope_interleaved", false);
  const bool tied = is_tied(from, tensors, false);
  const bool qkv_biased = qwen2 || attention_bias, proj_biased = attention_bias && !qwen2;

  tensors.expect("embed_tokens.weight", {vocab, width});
  if (tensors.has("lm_head.weight")) tensors.expect("lm_head.weight", {vocab, width});
  tensors.expect("norm.weight", {width});
  for (int i = 0; i < layers; ++i) {
    const std::string at = fmt::format("layers.{}.", i);
    const auto weight = [&](const char* of_layer, const std::vector<int>& shape, bool biased = false) {
      const std::string tensor = at + of_layer;
      if (biased)
        tensors.expect_biased(tensor, shape);
      else
        tensors.expect(tensor + ".weight", shape);
    };
    weight("input_layernorm", {width});
    weight("self_attn.q_proj", {heads * head_width, width}, qkv_biased);
    weight("self_attn.k_proj", {kv_heads * head_width, width}, qkv_biased);
    weight("self_attn.v_proj", {kv_heads * head_width, width}, qkv_biased);
    if (qwen3) weight("self_attn.q_norm", {head_width}), weight("self_attn.k_norm", {head_width});
    weight("self_attn.o_proj", {width, heads * head_width}, proj_biased);
    weight("post_attention_layernorm", {width});
    weight("mlp.gate_proj", {inner, width}, mlp_bias);
    weight("mlp.up_proj", {inner, width}, mlp_bias);
    weight("mlp.down_proj", {width, inner}, mlp_bias);
  }
  tensors.pass_over_quietly("*.self_attn.rotary_emb.inv_freq");
  tensors.finish(name);
  config.finish(name);

  return {"new/decoder.hpp.in",
          "decoder",
          "generate",
          {{"layers", std::to_string(layers)},
           {"heads", std::to_string(heads)},
           {"kv_heads", std::to_string(kv_heads)},
           {"head_width", std::to_string(head_width)},
           {"width", std::to_string(width)},
           {"inner", std::to_string(inner)},
           {"vocab", std::to_string(vocab)},
           {"context", std::to_string(context)},
           {"rope_base", number_text(positions.base, from)},
           {"scaling", positions.scaling},
           {"epsilon", number_text(epsilon, from)},
           {"head_norm", flag_text(qwen3)},
           {"window", window > 0 ? std::to_string(window) : ""},
           {"qkv_bias", bool_text(qkv_biased)},
           {"proj_bias", bool_text(proj_biased)},
           {"mlp_bias", bool_text(mlp_bias)},
           {"biased", flag_text(qkv_biased)},
           {"proj_biased", flag_text(proj_biased)},
           {"mlp_biased", flag_text(mlp_bias)},
           {"tied", flag_text(tied)},
           {"turned", flag_text(name == "llama")}, // llama.cpp turns the weights of this architecture alone
           {"gguf", flag_text(from.gguf)},
           {"scaled_by_tensor", flag_text(positions.by_tensor)}},
          tensors.passed_over()};
}

} // namespace tool
