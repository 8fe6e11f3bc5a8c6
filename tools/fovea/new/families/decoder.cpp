#include "decoder_sizes.hpp"
#include "rotary.hpp"

#include "../../failure.hpp"

#include <fovea/base/in_quotes.hpp>

#include <fmt/format.h>

namespace tool {
namespace {

void name_gguf_keys(settings& config, const std::string& architecture) {
  const auto key = [&](const char* name) { return architecture + "." + name; };
  config.call({{"num_hidden_layers", key("block_count")},
               {"num_attention_heads", key("attention.head_count")},
               {"num_key_value_heads", key("attention.head_count_kv")},
               {"hidden_size", key("embedding_length")},
               {"intermediate_size", key("feed_forward_length")},
               {"max_position_embeddings", key("context_length")},
               {"rms_norm_eps", key("attention.layer_norm_rms_epsilon")},
               {"rope_theta", key("rope.freq_base")},
               {"rope_width", key("rope.dimension_count")},
               {"head_dim", key("attention.key_length")},
               {"value_width", key("attention.value_length")},
               {"sliding_window", key("attention.sliding_window")},
               {"vocab_size", key("vocab_size")}});
}

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
  if (from.gguf) name_gguf_keys(config, name);
  tensor_list tensors(from, from.gguf ? "" : "model.");

  const auto [layers, heads, kv_heads, head_width, width, inner, context, epsilon] =
      decoder_sizes_of(config, 1e-6);
  const std::string words = from.gguf ? "token_embd.weight" : "embed_tokens.weight",
                    scores = from.gguf ? "output.weight" : "lm_head.weight";
  const int vocab =
      from.gguf && !config.has("vocab_size") ? tensors.rows_of(words) : config.whole("vocab_size");
  rotary_positions positions;
  int window = 0;
  bool attention_bias = false, mlp_bias = false, tied = !tensors.has(scores);
  if (from.gguf) {
    positions.base = config.number("rope_theta", 10000);
    config.expect("rope_width", head_width);
    config.expect("value_width", head_width);
    window = config.whole("sliding_window", 0);
  } else {
    pass_over_common(config);
    positions = rotary_of(config, context, from);
    window = window_of(config, mistral);
    config.one_of("hidden_act", {"silu"});
    attention_bias = config.flag("attention_bias", false);
    mlp_bias = config.flag("mlp_bias", false);
    config.pass_over(
        {"pretraining_tp", "is_llama_config", "transformers.js_config"}); // how it is run elsewhere
    config.expect("rope_interleaved", false);
    tied = is_tied(config, tensors, false);
  }
  const bool qkv_biased = qwen2 || attention_bias, proj_biased = attention_bias && !qwen2;

  tensors.expect(words, {vocab, width});
  if (tensors.has(scores)) tensors.expect(scores, {vocab, width});
  tensors.expect(from.gguf ? "output_norm.weight" : "norm.weight", {width});
  for (int i = 0; i < layers; ++i) {
    const std::string at = fmt::format(fmt::runtime(from.gguf ? "blk.{}." : "layers.{}."), i);
    const auto weight = [&](const char* of_gguf, const char* of_hf, const std::vector<int>& shape,
                            bool biased = false) {
      const std::string tensor = at + (from.gguf ? of_gguf : of_hf);
      if (biased)
        tensors.expect_biased(tensor, shape);
      else
        tensors.expect(tensor + ".weight", shape);
    };
    weight("attn_norm", "input_layernorm", {width});
    weight("attn_q", "self_attn.q_proj", {heads * head_width, width}, qkv_biased);
    weight("attn_k", "self_attn.k_proj", {kv_heads * head_width, width}, qkv_biased);
    weight("attn_v", "self_attn.v_proj", {kv_heads * head_width, width}, qkv_biased);
    if (qwen3)
      weight("attn_q_norm", "self_attn.q_norm", {head_width}),
          weight("attn_k_norm", "self_attn.k_norm", {head_width});
    weight("attn_output", "self_attn.o_proj", {width, heads * head_width}, proj_biased);
    weight("ffn_norm", "post_attention_layernorm", {width});
    weight("ffn_gate", "mlp.gate_proj", {inner, width}, mlp_bias);
    weight("ffn_up", "mlp.up_proj", {inner, width}, mlp_bias);
    weight("ffn_down", "mlp.down_proj", {width, inner}, mlp_bias);
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
           {"gguf", flag_text(from.gguf)}},
          tensors.passed_over()};
}

} // namespace tool
