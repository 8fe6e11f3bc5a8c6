#include "catalogue.hpp"
#include "gguf_names.hpp"

#include <fmt/format.h>

namespace tool {
namespace {

/// The experts of one layer: each by itself, or all in one tensor as transformers 5 saves them, or in three as llama.cpp
/// does.
void expect_experts(tensor_list& tensors, const std::string& at, int experts, int inner, int width) {
  if (tensors.has(at + "gate_up_proj")) {
    tensors.expect(at + "gate_up_proj", {experts, 2 * inner, width});
    tensors.expect(at + "down_proj", {experts, width, inner});
    return;
  }
  if (tensors.has(at + "gate_proj.weight")) {
    for (const char* one : {"gate_proj.weight", "up_proj.weight"})
      tensors.expect(at + one, {experts, inner, width});
    tensors.expect(at + "down_proj.weight", {experts, width, inner});
    return;
  }
  for (int i = 0; i < experts; ++i) {
    const std::string one = fmt::format("{}{}.", at, i);
    tensors.expect(one + "gate_proj.weight", {inner, width});
    tensors.expect(one + "up_proj.weight", {inner, width});
    tensors.expect(one + "down_proj.weight", {width, inner});
  }
}

} // namespace

model_plan plan_mixture(checkpoint& from) {
  settings& config = from.config;
  const bool qwen = from.architecture == "Qwen3MoeForCausalLM" || from.architecture == "qwen3moe";
  tensor_list tensors(from, "model.");
  if (from.gguf)
    call_as_gguf(from, tensors,
                 {{"layers.*.mlp.gate", "blk.*.ffn_gate_inp"},
                  {"layers.*.mlp.experts.gate_proj", "blk.*.ffn_gate_exps"},
                  {"layers.*.mlp.experts.up_proj", "blk.*.ffn_up_exps"},
                  {"layers.*.mlp.experts.down_proj", "blk.*.ffn_down_exps"}});
  decoder_sizes s = decoder_sizes_of(config, qwen ? 1e-6 : 1e-5);
  const char* count = config.has("num_experts") ? "num_experts" : "num_local_experts";
  const int vocab = vocab_of(from, tensors), experts = config.factor(count),
            active = config.whole("num_experts_per_tok");
  if (active > experts)
    config.fail("num_experts_per_tok",
                fmt::format("expected at most {} {}; found {}", count, experts, active));
  config.expect("num_local_experts", experts);
  const bool normalised = config.flag("norm_topk_prob", from.gguf && qwen);
  pass_over_common(config);
  const rotary_positions turns = rotary_of_decoder(from, tensors, s);
  config.one_of("hidden_act", {"silu"});
  config.expect("attention_bias", false);
  config.pass_over({"output_router_logits", "router_aux_loss_coef"});
  if (qwen) { // whose intermediate_size is that of layers without experts
    s.inner = config.factor("moe_intermediate_size");
    config.expect("decoder_sparse_step", 1);
    config.expect("mlp_only_layers", nlohmann::json::array());
    config.expect("use_sliding_window", false);
    config.pass_over({"sliding_window", "max_window_layers"});
  } else {
    config.expect("clip_qkv", nullptr);
  }
  const bool tied = is_tied(from, tensors, false);

  tensors.expect("embed_tokens.weight", {vocab, s.width});
  if (tensors.has("lm_head.weight")) tensors.expect("lm_head.weight", {vocab, s.width});
  tensors.expect("norm.weight", {s.width});
  const norm_widths norms = qwen ? norm_widths{s.head_width, s.head_width}
                                 : norm_widths{s.heads * s.head_width, s.kv_heads * s.head_width};
  for (int i = 0; i < s.layers; ++i) {
    const std::string at = fmt::format("layers.{}.", i);
    for (const char* norm : {"input_layernorm", "post_attention_layernorm"})
      tensors.expect(at + norm + ".weight", {s.width});
    expect_attention(tensors, at + "self_attn.", s, norms);
    tensors.expect(at + "mlp.gate.weight", {experts, s.width});
    expect_experts(tensors, at + "mlp.experts.", experts, s.inner, s.width);
  }
  tensors.finish(from.architecture);
  config.finish(from.architecture);
  return catalogue_decoder(
      {qwen ? "qwen3_moe" : "olmoe", "moe_config", "moe_names<sizes>", "moe_logits",
       "moe_block, moe_feed_forward, llama_attention"},
      {{"decoder", member_group(llama_members(s, vocab, tied, turns, from,
                                              {{qwen ? "head_norm" : "whole_norm", "true"}}))},
       {"experts", std::to_string(experts)},
       {"active", std::to_string(active)},
       {"normalised", bool_text(normalised)}},
      s.context);
}

} // namespace tool
