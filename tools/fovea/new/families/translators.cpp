#include "catalogue.hpp"

#include "../config_json.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <string_view>

namespace tool {
namespace {

// BART, Marian and M2M-100: the Transformer with one table of token vectors.

/// What they say in the same words; both stacks are of one kind.
struct stack_sizes {
  int layers, heads, width, inner, vocab, context;
  std::string activation;
};

/// A setting of the encoder that the decoder's equals.
int of_both(settings& config, const std::string& what) {
  const std::string of_encoder = "encoder_" + what;
  const int found = config.factor(of_encoder);
  config.expect("decoder_" + what, found);
  return found;
}

stack_sizes sizes_of(settings& config) {
  static const std::map<std::string, std::string> functions{
      {"gelu", "gelu"}, {"gelu_new", "gelu_tanh"}, {"relu", "relu"}, {"silu", "silu"}, {"swish", "silu"}};
  stack_sizes made{};
  made.layers = of_both(config, "layers"), made.heads = of_both(config, "attention_heads");
  made.inner = of_both(config, "ffn_dim");
  made.width = config.factor("d_model"), made.vocab = config.whole("vocab_size");
  made.context = config.whole("max_position_embeddings");
  made.activation =
      functions.at(config.one_of("activation_function", {"gelu", "gelu_new", "relu", "silu", "swish"}));
  check_heads(config, "d_model", made.width, "encoder_attention_heads", made.heads);
  if (made.width % 2 != 0)
    config.fail("d_model", fmt::format("expected an even number, for positions; found {}", made.width));
  return made;
}

/// What belongs to none of the numbers, or is said by the class already.
void check_settings(settings& config, const stack_sizes& s, bool scaled, bool embed_norm, bool norm_first) {
  pass_over_common(config, true);
  config.expect("scale_embedding", scaled);
  config.expect("normalize_embedding", embed_norm);
  config.expect("normalize_before", norm_first);
  config.expect("add_final_layer_norm", norm_first);
  config.expect("add_bias_logits", false);
  config.expect("is_decoder", false);
  config.expect("tie_word_embeddings", true);
  config.expect("num_hidden_layers", s.layers);
  config.pass_over({"activation_dropout", "classif_dropout", "decoder_layerdrop", "decoder_start_token_id",
                    "encoder_layerdrop", "init_std", "max_length", "static_position_embeddings"});
}

void expect_stacks(tensor_list& tensors, const stack_sizes& s) {
  tensors.expect("shared.weight", {s.vocab, s.width});
  for (const char* copy : {"encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "lm_head.weight"})
    if (tensors.has(copy)) tensors.expect(copy, {s.vocab, s.width});
  for (const std::string stack : {"encoder", "decoder"})
    for (int i = 0; i < s.layers; ++i) {
      const std::string at = fmt::format("{}.layers.{}.", stack, i);
      const auto attention = [&](const std::string& name) {
        for (const char* part : {".q_proj", ".k_proj", ".v_proj", ".out_proj"})
          tensors.expect_biased(at + name + part, {s.width, s.width});
        tensors.expect_biased(at + name + "_layer_norm", {s.width});
      };
      attention("self_attn");
      if (stack == "decoder") attention("encoder_attn");
      tensors.expect_biased(at + "fc1", {s.inner, s.width});
      tensors.expect_biased(at + "fc2", {s.width, s.inner});
      tensors.expect_biased(at + "final_layer_norm", {s.width});
    }
}

/// Norms and tables of both stacks that stand outside of their blocks.
void expect_in_both(tensor_list& tensors, const std::string& name, int width) {
  for (const std::string stack : {"encoder.", "decoder."}) tensors.expect_biased(stack + name, {width});
}

/// Whether a text has to begin with a token besides the first, which a program does not know.
bool forces_tokens(checkpoint& from) {
  const auto file = from.path / "generation_config.json";
  const bool of_old = from.config.flag("force_bos_token_to_be_generated", false);
  if (of_old || !from.config.ids("forced_bos_token_id").empty()) return true;
  return std::filesystem::exists(file) &&
         !settings(load_config_json(file), file.string()).ids("forced_bos_token_id").empty();
}

struct translator_names {
  const char *kind, *names, *score_bias; // what its parts begin with
};

model_plan catalogue_translator(checkpoint& from, const translator_names& called, const stack_sizes& s,
                                bool norm_first, const std::vector<member>& more) {
  std::vector<member> block{{"heads", std::to_string(s.heads)},
                            {"width", std::to_string(s.width)},
                            {"inner", std::to_string(s.inner)},
                            {"norm_first", bool_text(norm_first)},
                            {"activation", "models::activation::" + s.activation}};
  std::vector<member> sizes{{"layers", std::to_string(s.layers)},
                            {"block", member_group(block)},
                            {"vocab", std::to_string(s.vocab)}};
  sizes.insert(sizes.end(), more.begin(), more.end());
  // M2M-100's texts begin with the token of the language to write.
  const bool own_start = forces_tokens(from) || std::string_view(called.kind) == "m2m100";
  from.config.finish(from.architecture);
  return {"new/catalogue_translator.hpp.in",
          "translator",
          own_start ? "run" : "translate",
          {{"kind", called.kind},
           {"names", called.names},
           {"score_bias", called.score_bias},
           {"members", member_lines(sizes)},
           {"context", std::to_string(s.context)}},
          {},
          {"B", "S", "T"}};
}

} // namespace

model_plan plan_bart(checkpoint& from) {
  settings& config = from.config;
  const stack_sizes s = sizes_of(config);
  check_settings(config, s, false, true, false);
  config.expect("extra_pos_embeddings", 2);
  tensor_list tensors(from, "model.");
  expect_stacks(tensors, s);
  for (const std::string stack : {"encoder.", "decoder."})
    tensors.expect(stack + "embed_positions.weight", {s.context + 2, s.width});
  expect_in_both(tensors, "layernorm_embedding", s.width);
  tensors.expect("final_logits_bias", {1, s.vocab});
  tensors.finish(from.architecture);
  return catalogue_translator(from, {"bart", "bart_names", "yes"}, s, false,
                              {{"context", std::to_string(s.context)}});
}

model_plan plan_marian(checkpoint& from) {
  settings& config = from.config;
  const stack_sizes s = sizes_of(config);
  check_settings(config, s, true, false, false);
  config.demand("scale_embedding", true);
  config.expect("decoder_vocab_size", s.vocab);
  config.expect("share_encoder_decoder_embeddings", true);
  tensor_list tensors(from, "model.");
  expect_stacks(tensors, s);
  for (const std::string stack : {"encoder.", "decoder."}) // which are computed
    tensors.pass_over_quietly("*" + stack + "embed_positions.weight");
  tensors.expect("final_logits_bias", {1, s.vocab});
  tensors.finish(from.architecture);
  return catalogue_translator(from, {"marian", "marian_names", "yes"}, s, false, {});
}

model_plan plan_m2m100(checkpoint& from) {
  settings& config = from.config;
  const stack_sizes s = sizes_of(config);
  check_settings(config, s, true, false, true);
  const int padding = config.whole("pad_token_id", 1);
  tensor_list tensors(from, "model.");
  expect_stacks(tensors, s);
  expect_in_both(tensors, "layer_norm", s.width);
  for (const std::string stack : {"encoder.", "decoder."}) // which are computed
    tensors.pass_over_quietly("*" + stack + "embed_positions.weights");
  tensors.finish(from.architecture);
  return catalogue_translator(from, {"m2m100", "m2m100_names", ""}, s, true,
                              {{"padding", std::to_string(padding)}});
}

} // namespace tool
