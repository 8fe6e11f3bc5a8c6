#include "gguf_names.hpp"

namespace tool {

void call_as_gguf(checkpoint& from, tensor_list& tensors, const std::map<std::string, std::string>& more) {
  const auto key = [&](const char* name) { return from.architecture + "." + name; };
  from.config.call({{"num_hidden_layers", key("block_count")},
                    {"num_attention_heads", key("attention.head_count")},
                    {"num_key_value_heads", key("attention.head_count_kv")},
                    {"hidden_size", key("embedding_length")},
                    {"intermediate_size", key("feed_forward_length")},
                    {"max_position_embeddings", key("context_length")},
                    {"rms_norm_eps", key("attention.layer_norm_rms_epsilon")},
                    {"rope_theta", key("rope.freq_base")},
                    {"rope_local_base_freq", key("rope.freq_base_swa")},
                    {"rope_width", key("rope.dimension_count")},
                    {"rope_type", key("rope.scaling.type")},
                    {"factor", key("rope.scaling.factor")},
                    {"original_max_position_embeddings", key("rope.scaling.original_context_length")},
                    {"rope_finetuned", key("rope.scaling.finetuned")},
                    {"attn_factor", key("rope.scaling.attn_factor")},
                    {"beta_fast", key("rope.scaling.yarn_beta_fast")},
                    {"beta_slow", key("rope.scaling.yarn_beta_slow")},
                    {"head_dim", key("attention.key_length")},
                    {"value_width", key("attention.value_length")},
                    {"sliding_window", key("attention.sliding_window")},
                    {"sliding_window_pattern", key("attention.sliding_window_pattern")},
                    {"attn_logit_softcapping", key("attn_logit_softcapping")},
                    {"final_logit_softcapping", key("final_logit_softcapping")},
                    {"num_experts", key("expert_count")},
                    {"num_experts_per_tok", key("expert_used_count")},
                    {"moe_intermediate_size", key("expert_feed_forward_length")},
                    {"norm_topk_prob", key("expert_weights_norm")},
                    {"vocab_size", key("vocab_size")}});
  from.config.number("rms_norm_eps"); // without which llama.cpp takes no file, and which has no usual value
  std::map<std::string, std::string> names{{"embed_tokens", "token_embd"},
                                           {"norm", "output_norm"},
                                           {"lm_head", "output"},
                                           {"layers.*.input_layernorm", "blk.*.attn_norm"},
                                           {"layers.*.self_attn.q_proj", "blk.*.attn_q"},
                                           {"layers.*.self_attn.k_proj", "blk.*.attn_k"},
                                           {"layers.*.self_attn.v_proj", "blk.*.attn_v"},
                                           {"layers.*.self_attn.q_norm", "blk.*.attn_q_norm"},
                                           {"layers.*.self_attn.k_norm", "blk.*.attn_k_norm"},
                                           {"layers.*.self_attn.o_proj", "blk.*.attn_output"},
                                           {"layers.*.post_attention_layernorm", "blk.*.ffn_norm"},
                                           {"layers.*.mlp.gate_proj", "blk.*.ffn_gate"},
                                           {"layers.*.mlp.up_proj", "blk.*.ffn_up"},
                                           {"layers.*.mlp.down_proj", "blk.*.ffn_down"}};
  for (const auto& [ours, theirs] : more) names[ours] = theirs;
  tensors.call(names);
}

} // namespace tool
