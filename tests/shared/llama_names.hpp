#pragma once

#include <map>
#include <string>

namespace fovea::core::test {

/// llama.cpp's names of llama2.c's tensors.
inline std::string gguf_name(const std::string& name) {
  static const std::map<std::string, std::string> outside{{"tok_embeddings.weight", "token_embd.weight"},
                                                          {"norm.weight", "output_norm.weight"}};
  static const std::map<std::string, std::string> inside{
      {"attention_norm.weight", "attn_norm.weight"}, {"attention.wq.weight", "attn_q.weight"},
      {"attention.wk.weight", "attn_k.weight"},      {"attention.wv.weight", "attn_v.weight"},
      {"attention.wo.weight", "attn_output.weight"}, {"ffn_norm.weight", "ffn_norm.weight"},
      {"feed_forward.w1.weight", "ffn_gate.weight"}, {"feed_forward.w3.weight", "ffn_up.weight"},
      {"feed_forward.w2.weight", "ffn_down.weight"}};
  if (const auto found = outside.find(name); found != outside.end()) return found->second;
  const std::string layers = "layers.";
  const std::size_t end = name.find('.', layers.size());
  return "blk." + name.substr(layers.size(), end - layers.size()) + "." + inside.at(name.substr(end + 1));
}

} // namespace fovea::core::test
