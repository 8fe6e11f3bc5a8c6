#include "../family.hpp"

#include <fmt/format.h>

namespace tool {

model_plan plan_gpt2(checkpoint& from) {
  settings& config = from.config;
  if (from.gguf)
    config.call({{"n_layer", "gpt2.block_count"},
                 {"n_head", "gpt2.attention.head_count"},
                 {"n_embd", "gpt2.embedding_length"},
                 {"n_inner", "gpt2.feed_forward_length"},
                 {"n_positions", "gpt2.context_length"},
                 {"layer_norm_epsilon", "gpt2.attention.layer_norm_epsilon"},
                 {"vocab_size", "gpt2.vocab_size"}});
  tensor_list tensors(from, from.gguf ? "" : "transformer.");
  const int layers = config.whole("n_layer"), heads = config.factor("n_head"),
            width = config.factor("n_embd"), inner = config.whole("n_inner", 4 * width),
            context = config.whole("n_positions");
  const std::string words = from.gguf ? "token_embd.weight" : "wte.weight",
                    scores = from.gguf ? "output.weight" : "lm_head.weight";
  const int vocab =
      from.gguf && !config.has("vocab_size") ? tensors.rows_of(words) : config.whole("vocab_size");
  const double epsilon = config.number("layer_norm_epsilon", 1e-5);
  check_heads(config, "n_embd", width, "n_head", heads);
  std::string activation = "gelu_tanh";
  if (!from.gguf) {
    pass_over_common(config);
    const std::string named =
        config.one_of("activation_function", {"gelu_new", "gelu_pytorch_tanh", "gelu", "relu", "silu"});
    if (!named.starts_with("gelu_")) activation = named;
    config.expect("scale_attn_weights", true);
    config.expect("scale_attn_by_inverse_layer_idx", false);
    config.expect("tie_word_embeddings", true);
    config.pass_over({"attn_pdrop", "embd_pdrop", "resid_pdrop", "n_ctx", "reorder_and_upcast_attn",
                      "summary_activation", "summary_first_dropout", "summary_proj_to_labels", "summary_type",
                      "summary_use_proj"});
  }
  const auto matrix = [&](const std::string& name, int out, int in) { // theirs lie [in, out]
    tensors.expect(name + ".weight", from.gguf ? std::vector{out, in} : std::vector{in, out});
    tensors.expect(name + ".bias", {out});
  };
  tensors.expect(words, {vocab, width});
  tensors.expect(from.gguf ? "position_embd.weight" : "wpe.weight", {context, width});
  if (tensors.has(scores)) tensors.expect(scores, {vocab, width});
  for (int i = 0; i < layers; ++i) {
    const std::string at = fmt::format(fmt::runtime(from.gguf ? "blk.{}." : "h.{}."), i);
    const auto name = [&](const char* of_gguf, const char* of_hf) {
      return at + (from.gguf ? of_gguf : of_hf);
    };
    for (const std::string& norm : {name("attn_norm", "ln_1"), name("ffn_norm", "ln_2")})
      tensors.expect_biased(norm, {width});
    matrix(name("attn_qkv", "attn.c_attn"), 3 * width, width);
    matrix(name("attn_output", "attn.c_proj"), width, width);
    matrix(name("ffn_up", "mlp.c_fc"), inner, width);
    matrix(name("ffn_down", "mlp.c_proj"), width, inner);
  }
  const std::string last = from.gguf ? "output_norm" : "ln_f";
  tensors.expect_biased(last, {width});
  for (const char* mask : {"*h.*.attn.bias", "*h.*.attn.masked_bias"}) tensors.pass_over_quietly(mask);
  tensors.finish(from.architecture);
  config.finish(from.architecture);
  return {"new/gpt2.hpp.in",
          "decoder",
          "generate",
          {{"layers", std::to_string(layers)},
           {"heads", std::to_string(heads)},
           {"width", std::to_string(width)},
           {"inner", std::to_string(inner)},
           {"vocab", std::to_string(vocab)},
           {"context", std::to_string(context)},
           {"epsilon", number_text(epsilon, from)},
           {"activation", activation},
           {"gguf", flag_text(from.gguf)}},
          tensors.passed_over()};
}

} // namespace tool
