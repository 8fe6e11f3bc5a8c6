#pragma once

// Language models of today against the cases of golden/today: what each layer gives, the scores, the text that the
// most likely tokens make, the loss with its gradients, and streams.

#include "../streams/stream_case.hpp"
#include "../training/loss_case.hpp"

namespace fovea::core::test {

/// A case of golden/today.
inline golden_case case_of_today(const std::string& name) {
  return golden_case(name, std::filesystem::path(golden_folder) / "today");
}

inline constexpr const char* hidden_state_names[] = {"hidden_states.0", "hidden_states.1", "hidden_states.2",
                                                     "hidden_states.3", "hidden_states.4"};

/// `shown` gives the hidden states and logits, `whole` the logits, `loss` the loss, all from tokens [B, T].
template <class Shown, class Whole, class Loss>
void check_decoder(const golden_case& c, const Shown& shown, const Whole& whole, const Loss& loss) {
  const named_values texts = inputs_of(c, {{"tokens", "ids"}});
  check_outputs(shown, c, weights_of(c), texts);
  on_both_backends([&](auto backend) {
    auto net = compile<decltype(backend)>(
        whole, weights_of(c),
        {.capacity = {{dim{"B"}, 1}, {dim{"T"}, c.at("output.greedy_ids").values.size()}}});
    check_greedy(c, [&](const auto& ids) { return net("tokens"_in = ids)["logits"_out]; });
  });
  check_loss(loss, c, next_token_inputs(c));
  check_stream<dim{"T"}>(whole, texts, weights_of(c));
}

/// The parameters of a case under the names that llama.cpp's converter gives them, `*` the number of the layer. It
/// keeps Gemma's norms plus 1.
inline std::map<std::string, weight_tensor> as_gguf(const golden_case& c, bool gemma = false) {
  std::map<std::string, std::string> names{{"model.embed_tokens", "token_embd"},
                                           {"model.norm", "output_norm"},
                                           {"lm_head", "output"},
                                           {"model.layers.*.input_layernorm", "blk.*.attn_norm"},
                                           {"model.layers.*.self_attn.q_proj", "blk.*.attn_q"},
                                           {"model.layers.*.self_attn.k_proj", "blk.*.attn_k"},
                                           {"model.layers.*.self_attn.v_proj", "blk.*.attn_v"},
                                           {"model.layers.*.self_attn.qkv_proj", "blk.*.attn_qkv"},
                                           {"model.layers.*.self_attn.q_norm", "blk.*.attn_q_norm"},
                                           {"model.layers.*.self_attn.k_norm", "blk.*.attn_k_norm"},
                                           {"model.layers.*.self_attn.o_proj", "blk.*.attn_output"},
                                           {"model.layers.*.post_attention_layernorm", "blk.*.ffn_norm"},
                                           {"model.layers.*.mlp.gate_up_proj", "blk.*.ffn_up"},
                                           {"model.layers.*.mlp.gate_proj", "blk.*.ffn_gate"},
                                           {"model.layers.*.mlp.up_proj", "blk.*.ffn_up"},
                                           {"model.layers.*.mlp.down_proj", "blk.*.ffn_down"},
                                           {"model.layers.*.mlp.gate", "blk.*.ffn_gate_inp"}};
  if (gemma) {
    names["model.layers.*.post_attention_layernorm"] = "blk.*.post_attention_norm";
    names["model.layers.*.pre_feedforward_layernorm"] = "blk.*.ffn_norm";
    names["model.layers.*.post_feedforward_layernorm"] = "blk.*.post_ffw_norm";
  }
  std::map<std::string, weight_tensor> made;
  for (auto [name, tensor] : parameters_of(c)) {
    if (name.find("mlp.experts.") != std::string::npos) { // whose caller has names for them
      made[name] = std::move(tensor);
      continue;
    }
    const std::size_t dot = name.rfind('.');
    std::string stem = name.substr(0, dot), layer;
    if (const std::size_t digit = stem.find_first_of("0123456789"); digit != std::string::npos) {
      layer = stem[digit];
      stem[digit] = '*';
    }
    std::string theirs = names.at(stem) + name.substr(dot);
    if (const std::size_t star = theirs.find('*'); star != std::string::npos) theirs.replace(star, 1, layer);
    if (gemma && stem.ends_with("norm"))
      for (float& x : tensor.values) x += 1;
    made[theirs] = std::move(tensor);
  }
  return made;
}

/// Checks the logits of a model from a checkpoint as llama.cpp has it.
template <class M>
void check_gguf(const golden_case& c, const M& whole, std::map<std::string, weight_tensor> parameters) {
  check_outputs(whole, c, model_weights::from(std::move(parameters), "gguf"),
                inputs_of(c, {{"tokens", "ids"}}));
}

} // namespace fovea::core::test
