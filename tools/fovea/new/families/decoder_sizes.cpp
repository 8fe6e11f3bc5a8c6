#include "decoder_sizes.hpp"

#include <fmt/format.h>

namespace tool {

decoder_sizes decoder_sizes_of(settings& config, double epsilon, int head_width) {
  decoder_sizes made{};
  made.layers = config.whole("num_hidden_layers"), made.heads = config.factor("num_attention_heads");
  made.width = config.factor("hidden_size"), made.inner = config.whole("intermediate_size");
  made.kv_heads = config.factor("num_key_value_heads", made.heads);
  made.context = config.whole("max_position_embeddings");
  if (head_width == 0) {
    if (!config.has("head_dim"))
      check_heads(config, "hidden_size", made.width, "num_attention_heads", made.heads);
    head_width = made.width / made.heads;
  }
  made.head_width = config.factor("head_dim", head_width);
  if (made.heads % made.kv_heads != 0)
    config.fail("num_key_value_heads",
                fmt::format("expected a divisor of {} {}; found {}", config.name_of("num_attention_heads"),
                            made.heads, made.kv_heads));
  if (made.head_width % 2 != 0)
    config.fail("head_dim",
                fmt::format("expected an even number, for rotary positions; found {}", made.head_width));
  config.expect("rope_width", made.head_width);
  config.expect("value_width", made.head_width);
  made.epsilon = config.number("rms_norm_eps", epsilon);
  return made;
}

int vocab_of(checkpoint& from, tensor_list& tensors) {
  if (from.gguf && !from.config.has("vocab_size")) return tensors.rows_of("embed_tokens.weight");
  return from.config.whole("vocab_size");
}

bool is_tied(checkpoint& from, const tensor_list& tensors, bool otherwise) {
  settings& config = from.config;
  if (from.gguf) return !tensors.has("lm_head.weight");
  const bool tied = config.flag("tie_word_embeddings", otherwise);
  if (!tied && !tensors.has("lm_head.weight"))
    config.fail("tie_word_embeddings", "expected true, as there is no tensor 'lm_head.weight'; found false");
  return tied;
}

void expect_attention(tensor_list& tensors, const std::string& at, const decoder_sizes& s,
                      norm_widths norms) {
  tensors.expect(at + "q_proj.weight", {s.heads * s.head_width, s.width});
  for (const char* one : {"k_proj.weight", "v_proj.weight"})
    tensors.expect(at + one, {s.kv_heads * s.head_width, s.width});
  tensors.expect(at + "o_proj.weight", {s.width, s.heads * s.head_width});
  if (norms.of_queries == 0) return;
  tensors.expect(at + "q_norm.weight", {norms.of_queries});
  tensors.expect(at + "k_norm.weight", {norms.of_keys});
}

} // namespace tool
