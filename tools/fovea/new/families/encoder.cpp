#include "encoder.hpp"

#include <fmt/format.h>

#include <map>

namespace tool {
namespace {

constexpr encoder_names bert{
    "bert.",
    "encoder.layer.{}.",
    {"attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"},
    "intermediate.dense",
    "output.dense",
    "attention.output.LayerNorm",
    "output.LayerNorm",
    "pooler.dense",
    "classifier",
    "cls.predictions.transform.dense",
    "cls.predictions.transform.LayerNorm",
    "cls.predictions.decoder",
    "cls.predictions.bias"};
constexpr encoder_names roberta = [] {
  encoder_names made = bert;
  made.prefix = "roberta.";
  made.pooler = "classifier.dense", made.classifier = "classifier.out_proj";
  made.transform = "lm_head.dense", made.transform_norm = "lm_head.layer_norm";
  made.scores = "lm_head.decoder", made.bias = "lm_head.bias";
  return made;
}();
constexpr encoder_names electra = [] {
  encoder_names made = bert;
  made.prefix = "electra.";
  made.pooler = "classifier.dense", made.classifier = "classifier.out_proj";
  made.transform = "generator_predictions.dense", made.transform_norm = "generator_predictions.LayerNorm";
  made.scores = "generator_lm_head", made.bias = "generator_lm_head.bias";
  return made;
}();
constexpr encoder_names distilbert{
    "distilbert.",
    "transformer.layer.{}.",
    {"attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin"},
    "ffn.lin1",
    "ffn.lin2",
    "sa_layer_norm",
    "output_layer_norm",
    "pre_classifier",
    "classifier",
    "vocab_transform",
    "vocab_layer_norm",
    "vocab_projector",
    "vocab_projector.bias"};
/// llama.cpp's, which keeps the network alone.
constexpr encoder_names gguf{"",
                             "blk.{}.",
                             {"attn_q", "attn_k", "attn_v", "attn_output"},
                             "ffn_up",
                             "ffn_down",
                             "attn_output_norm",
                             "layer_output_norm",
                             "",
                             "",
                             "",
                             "",
                             "",
                             ""};

const encoder_names& names_of(const checkpoint& from) {
  const std::string& name = from.architecture;
  if (from.gguf) return gguf;
  if (name.starts_with("DistilBert")) return distilbert;
  if (name.starts_with("Electra")) return electra;
  return name.starts_with("Bert") ? bert : roberta;
}

/// The word for a function of transformers.
std::string activation_word(settings& config, const char* key) {
  static const std::map<std::string, std::string> words{{"gelu", "gelu"},
                                                        {"gelu_new", "gelu_tanh"},
                                                        {"gelu_pytorch_tanh", "gelu_tanh"},
                                                        {"relu", "relu"},
                                                        {"silu", "silu"}};
  return words.at(config.one_of(key, {"gelu", "gelu_new", "gelu_pytorch_tanh", "relu", "silu"}));
}

/// DistilBERT and GGUF files have settings of other names, and say less.
void name_keys(checkpoint& from) {
  if (from.gguf)
    from.config.call({{"num_hidden_layers", "bert.block_count"},
                      {"num_attention_heads", "bert.attention.head_count"},
                      {"hidden_size", "bert.embedding_length"},
                      {"intermediate_size", "bert.feed_forward_length"},
                      {"max_position_embeddings", "bert.context_length"},
                      {"layer_norm_eps", "bert.attention.layer_norm_epsilon"},
                      {"vocab_size", "bert.vocab_size"},
                      {"pooling_type", "bert.pooling_type"},
                      {"causal", "bert.attention.causal"}});
  else if (&names_of(from) == &distilbert)
    from.config.call({{"num_hidden_layers", "n_layers"},
                      {"num_attention_heads", "n_heads"},
                      {"hidden_size", "dim"},
                      {"intermediate_size", "hidden_dim"},
                      {"hidden_act", "activation"}});
}

encoder_sizes sizes_of(checkpoint& from, tensor_list& tensors) {
  settings& config = from.config;
  const encoder_names& names = names_of(from);
  encoder_sizes made{};
  made.layers = config.whole("num_hidden_layers"), made.heads = config.factor("num_attention_heads");
  made.width = config.factor("hidden_size"), made.inner = config.whole("intermediate_size");
  made.rows = config.whole("max_position_embeddings");
  made.word_width = &names == &electra ? config.factor("embedding_size", made.width) : made.width;
  made.epsilon = "1e-12", made.activation = "gelu";
  if (&names != &distilbert) made.epsilon = number_text(config.number("layer_norm_eps", 1e-12), from);
  check_heads(config, "hidden_size", made.width, "num_attention_heads", made.heads);
  if (!from.gguf) {
    made.vocab = config.whole("vocab_size");
    if (&names != &distilbert) made.types = config.whole("type_vocab_size");
    made.activation = activation_word(config, "hidden_act");
    return made;
  }
  // A GGUF file leaves these to its tensors.
  const int rows = tensors.rows_of("token_embd.weight");
  made.vocab = config.whole("vocab_size", rows);
  if (tensors.has("token_types.weight")) made.types = tensors.rows_of("token_types.weight");
  return made;
}

/// What is said beside the sizes.
void check_settings(checkpoint& from) {
  settings& config = from.config;
  if (from.gguf) {
    config.expect("causal", 0);
    config.expect("pooling_type", 1); // the mean
    return;
  }
  pass_over_common(config);
  config.expect("is_decoder", from.architecture == "BertLMHeadModel");
  config.one_of("position_embedding_type", {"absolute"});
  config.expect("tie_word_embeddings", true);
  const encoder_names& names = names_of(from);
  if (&names == &bert) // of a head that no class has
    config.pass_over({"pooler_fc_size", "pooler_num_attention_heads", "pooler_num_fc_layers",
                      "pooler_size_per_head", "pooler_type", "directionality"});
  if (&names == &distilbert) // the table of positions is in the file, however it was made
    config.pass_over({"sinusoidal_pos_embds", "qa_dropout", "seq_classif_dropout", "tie_weights_"});
  if (&names == &electra)
    config.pass_over(
        {"summary_activation", "summary_last_dropout", "summary_type", "summary_use_proj", "generator_size"});
}

/// The id of padding, whose row of positions stands before those of a text.
int padding_of(settings& config, const encoder_sizes& s) {
  const int padding = config.whole("pad_token_id");
  if (s.rows <= padding + 1)
    config.fail(
        "max_position_embeddings",
        fmt::format("expected more than {}, where positions of text begin; found {}", padding + 1, s.rows));
  return padding;
}

void expect_layers(tensor_list& tensors, const encoder_sizes& s, const encoder_names& names) {
  for (int i = 0; i < s.layers; ++i) {
    const std::string at = fmt::format(fmt::runtime(names.layer), i);
    for (const char* square : names.squares) tensors.expect_biased(at + square, {s.width, s.width});
    tensors.expect_biased(at + names.up, {s.inner, s.width});
    tensors.expect_biased(at + names.down, {s.width, s.inner});
    expect_norm(tensors, at + names.attention_norm, s.width);
    expect_norm(tensors, at + names.norm, s.width);
  }
}

} // namespace

model_plan plan_encoder(checkpoint& from) {
  const encoder_names& names = names_of(from);
  tensor_list tensors(from, names.prefix);
  name_keys(from);
  const encoder_sizes s = sizes_of(from, tensors);
  check_settings(from);
  const bool is_roberta = &names == &roberta, project = s.word_width != s.width, types = s.types > 1;
  const int padding = is_roberta ? padding_of(from.config, s) : 0;

  // A head that shares the table of token vectors may have it instead.
  const auto table = [&](const char* of_gguf, const std::string& of_others) {
    return from.gguf ? of_gguf : "embeddings." + of_others;
  };
  const std::string own = table("token_embd.weight", "word_embeddings.weight"),
                    of_head = std::string(names.scores) + ".weight";
  const bool by_head = scores_tokens(from.architecture) && !tensors.has(own) && tensors.has(of_head);
  tensors.expect(by_head ? of_head : own, {s.vocab, s.word_width});
  tensors.expect(table("position_embd.weight", "position_embeddings.weight"), {s.rows, s.word_width});
  if (s.types > 0)
    tensors.expect(table("token_types.weight", "token_type_embeddings.weight"), {s.types, s.word_width});
  expect_norm(tensors, table("token_embd_norm", "LayerNorm"), s.word_width);
  if (project) tensors.expect_biased("embeddings_project", {s.width, s.word_width});
  expect_layers(tensors, s, names);

  model_plan plan{"new/encoder.hpp.in", "encoder", "run"};
  head_rules rules(tensors);
  if (tensors.has("embeddings.position_ids")) rules.rule("", "embeddings.position_ids", ", naming::ignored");
  tensors.pass_over_quietly("*embeddings.position_ids");
  if (scores_tokens(from.architecture) && !by_head) rules.tied("words", of_head, {s.vocab, s.word_width});
  plan_head(from, s, names, rules, plan);
  tensors.finish(from.architecture);
  from.config.finish(from.architecture);
  plan.passed_over = tensors.passed_over();

  const bool old = tensors.has("embeddings.LayerNorm.gamma");
  plan.values.insert({{"layers", std::to_string(s.layers)},
                      {"heads", std::to_string(s.heads)},
                      {"width", std::to_string(s.width)},
                      {"inner", std::to_string(s.inner)},
                      {"vocab", std::to_string(s.vocab)},
                      {"context", std::to_string(is_roberta ? s.rows - padding - 1 : s.rows)},
                      {"epsilon", s.epsilon},
                      {"activation", s.activation},
                      {"project", flag_text(project)},
                      {"word_width", std::to_string(s.word_width)},
                      {"word_width_name", project ? "word_width" : "width"},
                      {"roberta", flag_text(is_roberta)},
                      {"padding", std::to_string(padding)},
                      {"first_position", std::to_string(padding + 1)},
                      {"lengths_parameter", is_roberta ? ", expr lengths" : ""},
                      {"lengths_argument", is_roberta ? ", lengths" : ""},
                      {"types", types ? std::to_string(s.types) : ""},
                      {"one_type", flag_text(s.types == 1)},
                      {"types_text", types ? ", its type" : ""},
                      {"types_text_of_inputs", types ? " and types" : ""},
                      {"types_parameter", types ? ", expr types" : ""},
                      {"types_argument", types ? ", types" : ""},
                      {"gguf", flag_text(from.gguf)},
                      {"distilbert", flag_text(&names == &distilbert)},
                      {"prefix", names.prefix},
                      {"words_name", by_head ? of_head : own},
                      {"norm_weight", old ? "gamma" : "weight"},
                      {"norm_bias", old ? "beta" : "bias"},
                      {"head_rules", rules.text()}});
  set_sentence_parts(plan.values);
  return plan;
}

} // namespace tool
