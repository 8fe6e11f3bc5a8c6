#include "../family.hpp"

#include "../../failure.hpp"

#include <fovea/base/in_quotes.hpp>

#include <fmt/format.h>

namespace tool {
namespace {

enum class kind { bert, roberta, distilbert, electra };

struct encoder_sizes {
  int layers, heads, width, inner, vocab, rows, types, word_width;
  std::string epsilon, activation;
};

/// The word for a function of transformers.
std::string activation_word(settings& config, const char* key) {
  static const std::map<std::string, std::string> words{{"gelu", "gelu"},
                                                        {"gelu_new", "gelu_tanh"},
                                                        {"gelu_pytorch_tanh", "gelu_tanh"},
                                                        {"relu", "relu"},
                                                        {"silu", "silu"}};
  return words.at(config.one_of(key, {"gelu", "gelu_new", "gelu_pytorch_tanh", "relu", "silu"}));
}

void name_gguf_keys(settings& config) {
  config.call({{"num_hidden_layers", "bert.block_count"},
               {"num_attention_heads", "bert.attention.head_count"},
               {"hidden_size", "bert.embedding_length"},
               {"intermediate_size", "bert.feed_forward_length"},
               {"max_position_embeddings", "bert.context_length"},
               {"layer_norm_eps", "bert.attention.layer_norm_epsilon"},
               {"vocab_size", "bert.vocab_size"},
               {"pooling_type", "bert.pooling_type"},
               {"causal", "bert.attention.causal"}});
}

encoder_sizes sizes_of(checkpoint& from, kind what, tensor_list& tensors) {
  settings& config = from.config;
  encoder_sizes made;
  const bool distil = what == kind::distilbert;
  const char *layers = distil ? "n_layers" : "num_hidden_layers",
             *heads = distil ? "n_heads" : "num_attention_heads", *width = distil ? "dim" : "hidden_size",
             *inner = distil ? "hidden_dim" : "intermediate_size";
  made.layers = config.whole(layers), made.heads = config.whole(heads);
  made.width = config.whole(width), made.inner = config.whole(inner);
  made.rows = config.whole("max_position_embeddings");
  // What a GGUF file leaves to its tensors.
  made.vocab = from.gguf && !config.has("vocab_size") ? tensors.shape_of("token_embd.weight").front()
                                                      : config.whole("vocab_size");
  made.types = distil ? 0
               : from.gguf
                   ? (tensors.has("token_types.weight") ? tensors.shape_of("token_types.weight").front() : 0)
                   : config.whole("type_vocab_size");
  made.word_width = what == kind::electra ? config.whole("embedding_size", made.width) : made.width;
  made.epsilon = distil ? "1e-12" : number_text(config.number("layer_norm_eps", 1e-12), from);
  made.activation = from.gguf ? "gelu" : activation_word(config, distil ? "activation" : "hidden_act");
  check_heads(config, width, made.width, heads, made.heads);
  return made;
}

/// The norm's weight and bias of a scope, the first checkpoints' gamma and beta among them.
void expect_norm(tensor_list& tensors, const std::string& name, int width) {
  const bool old = tensors.has(name + ".gamma");
  tensors.expect(name + (old ? ".gamma" : ".weight"), {width});
  tensors.expect(name + (old ? ".beta" : ".bias"), {width});
}
void expect_linear(tensor_list& tensors, const std::string& name, int out, int in) {
  tensors.expect(name + ".weight", {out, in});
  tensors.expect(name + ".bias", {out});
}

void expect_layers(tensor_list& tensors, const encoder_sizes& s, kind what, bool gguf) {
  for (int i = 0; i < s.layers; ++i) {
    const std::string at = fmt::format(fmt::runtime(gguf                       ? "blk.{}."
                                                    : what == kind::distilbert ? "transformer.layer.{}."
                                                                               : "encoder.layer.{}."),
                                       i);
    const auto names =
        gguf ? std::array{"attn_q", "attn_k",   "attn_v",           "attn_output",
                          "ffn_up", "ffn_down", "attn_output_norm", "layer_output_norm"}
        : what == kind::distilbert
            ? std::array{"attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin",
                         "ffn.lin1",        "ffn.lin2",        "sa_layer_norm",   "output_layer_norm"}
            : std::array{"attention.self.query",       "attention.self.key", "attention.self.value",
                         "attention.output.dense",     "intermediate.dense", "output.dense",
                         "attention.output.LayerNorm", "output.LayerNorm"};
    for (std::size_t k = 0; k < 4; ++k) expect_linear(tensors, at + names[k], s.width, s.width);
    expect_linear(tensors, at + names[4], s.inner, s.width);
    expect_linear(tensors, at + names[5], s.width, s.inner);
    expect_norm(tensors, at + names[6], s.width);
    expect_norm(tensors, at + names[7], s.width);
  }
}

/// What stands behind the network: its tensors, and the rules of their names.
struct head {
  tensor_list& tensors;
  std::string rules = {};

  void rule(const std::string& ours, const std::string& theirs, const char* how = "") {
    rules += fmt::format("    {{\"{}\", \"{}\"{}}},\n", ours, theirs, how);
  }
  void linear(const std::string& ours, const std::string& theirs, int out, int in) {
    expect_linear(tensors, theirs, out, in);
    rule(ours + ".weight", theirs + ".weight");
    rule(ours + ".bias", theirs + ".bias");
  }
  void norm(const std::string& ours, const std::string& theirs, int width) {
    const bool old = tensors.has(theirs + ".gamma");
    expect_norm(tensors, theirs, width);
    rule(ours + ".weight", theirs + (old ? ".gamma" : ".weight"));
    rule(ours + ".bias", theirs + (old ? ".beta" : ".bias"));
  }
  /// Tensors of such names are not used.
  void ignored(const std::string& pattern) {
    const std::size_t before = tensors.passed_over().size();
    tensors.pass_over(tensors.prefix() + pattern + "*");
    tensors.pass_over(pattern + "*");
    if (tensors.passed_over().size() > before) rule("", pattern + "**", ", naming::ignored");
  }
  /// A second copy of the token vectors, or of a bias.
  void tied(const std::string& ours, const std::string& theirs, const std::vector<int>& shape) {
    if (!tensors.has(theirs)) return;
    tensors.expect(theirs, shape);
    rule(ours, theirs, ", naming::tied");
  }
};

/// How many classes there are, by the tensors; id2label must agree.
int classes_of(settings& config, tensor_list& tensors, const std::string& weight) {
  const int classes = tensors.shape_of(weight).front();
  const auto labels = config.members("id2label");
  if (labels && *labels != classes)
    config.fail("id2label", fmt::format("expected {} labels, as the tensor {} has rows; found {}", classes,
                                        fovea::core::in_quotes(weight), *labels));
  config.expect("num_labels", classes);
  return classes;
}

void plan_pooling(settings& config, int width, text_values& values) {
  const int size = config.whole("word_embedding_dimension");
  if (size != width)
    config.fail("word_embedding_dimension",
                fmt::format("expected {}, the network's width; found {}", width, size));
  std::string chosen;
  for (const char* mode : {"cls_token", "max_tokens", "mean_tokens", "mean_sqrt_len_tokens",
                           "weightedmean_tokens", "lasttoken"}) {
    const std::string key = std::string("pooling_mode_") + mode;
    if (!config.flag(key, false)) continue;
    if (!chosen.empty()) config.fail(key, "expected one way of pooling; found this beside " + chosen);
    chosen = key;
  }
  if (chosen == "pooling_mode_mean_tokens")
    values["mean"] = "yes", values["pooling"] = "mean_of(x, lengths)";
  else if (chosen == "pooling_mode_cls_token")
    values["first"] = "yes", values["pooling"] = "first_of(x)";
  else if (chosen == "pooling_mode_max_tokens")
    values["largest"] = "yes", values["pooling"] = "largest_of(x, lengths)";
  else
    config.fail(chosen.empty() ? "pooling_mode_mean_tokens" : chosen,
                "expected pooling by mean_tokens, cls_token or max_tokens; found " +
                    (chosen.empty() ? "none" : chosen));
  config.pass_over({"include_prompt"}); // that nothing is put in front of a text is the caller's
  config.finish("pooling");
}

std::string dense_activation(settings& config) {
  const std::string name = config.text("activation_function", "torch.nn.modules.activation.Tanh"),
                    last = name.substr(name.rfind('.') + 1);
  if (last == "Tanh") return "tanh";
  if (last == "Identity") return "";
  if (last == "ReLU") return "relu";
  if (last == "GELU") return "gelu";
  config.fail("activation_function",
              "expected Tanh, Identity, ReLU or GELU; found " + fovea::core::in_quotes(name));
}

/// The modules of a sentence encoder as lines of the model; the tensors of dense ones join those of the network.
void plan_modules(checkpoint& from, tensor_list& tensors, const encoder_sizes& s, text_values& values,
                  std::string& rules) {
  if (from.modules->empty() || from.modules->front().what != sentence_module::kind::pooling)
    throw failure((from.path / "modules.json").string() +
                  ": expected a module Pooling behind the Transformer");
  int width = s.width;
  std::string lines;
  for (std::size_t i = 0; i < from.modules->size(); ++i) {
    sentence_module& one = (*from.modules)[i];
    if (one.what == sentence_module::kind::normalize) {
      values["unit"] = "yes";
      lines += "  sentence = unit(sentence);\n";
    } else if (one.what == sentence_module::kind::pooling) {
      if (i > 0)
        throw failure((from.path / "modules.json").string() + ": expected one module Pooling; found two");
      plan_pooling(one.config, s.width, values);
    } else {
      const int in = one.config.whole("in_features"), out = one.config.whole("out_features");
      const bool bias = one.config.flag("bias", true);
      const std::string function = dense_activation(one.config), name = fmt::format("{}_Dense", i + 1);
      if (in != width)
        one.config.fail("in_features", fmt::format("expected {}, the width before it; found {}", width, in));
      one.config.finish("dense layer");
      from.add_part(one.folder / "model.safetensors", name + ".");
      tensors.take_in(name + ".");
      tensors.expect(name + ".linear.weight", {out, in});
      if (bias) tensors.expect(name + ".linear.bias", {out});
      const std::string layer =
          fmt::format("linear(sentence, \"dense.{}\", {}{})", i + 1, out, bias ? "" : ", {.bias = false}");
      lines += "  sentence = " + (function.empty() ? layer : function + "(" + layer + ")") + ";\n";
      rules += fmt::format("    {{\"dense.{}.weight\", \"{}.linear.weight\"}},\n", i + 1, name);
      if (bias) rules += fmt::format("    {{\"dense.{}.bias\", \"{}.linear.bias\"}},\n", i + 1, name);
      width = out;
    }
  }
  values["sentence"] = "yes", values["modules"] = lines;
  values["outputs_text"] = fmt::format("sentence [B, {}]", width);
}

/// Of a network alone: what it gives for each token, and the mean of that, of length 1.
void plan_plain(text_values& values) {
  values["hidden"] = values["sentence"] = values["mean"] = values["unit"] = "yes";
  values["pooling"] = "mean_of(x, lengths)";
  values["modules"] =
      "  sentence = unit(sentence); // the checkpoint does not say how a text becomes one vector\n";
  values["outputs_text"] = std::string("hidden [B, T, width],") +
                           (values["pooled"].empty() ? "" : " pooled [B, width],") + "\n/// sentence [B, width]";
}

} // namespace

model_plan plan_encoder(checkpoint& from) {
  settings& config = from.config;
  const std::string& name = from.architecture;
  const kind what = name.starts_with("DistilBert")                                  ? kind::distilbert
                    : name.starts_with("Roberta") || name.starts_with("XLMRoberta") ? kind::roberta
                    : name.starts_with("Electra")                                   ? kind::electra
                                                                                    : kind::bert;
  static constexpr std::array prefixes{"bert.", "roberta.", "distilbert.", "electra."};
  const std::string prefix = from.gguf ? "" : prefixes[static_cast<std::size_t>(what)];
  tensor_list tensors(from, prefix);
  if (from.gguf) name_gguf_keys(config);
  const encoder_sizes s = sizes_of(from, what, tensors);
  const bool causal = name == "BertLMHeadModel", roberta = what == kind::roberta;
  if (from.gguf) {
    config.expect("causal", 0);
    config.expect("pooling_type", 1); // the mean
  } else {
    pass_over_common(config);
    config.expect("is_decoder", causal);
    config.one_of("position_embedding_type", {"absolute"});
    config.expect("tie_word_embeddings", true);
    config.pass_over({"gradient_checkpointing"});
    if (what == kind::bert) // of a head that no class has
      config.pass_over({"pooler_fc_size", "pooler_num_attention_heads", "pooler_num_fc_layers",
                        "pooler_size_per_head", "pooler_type", "directionality", "output_hidden_states"});
    if (what == kind::distilbert) // the table of positions is in the file, however it was made
      config.pass_over({"sinusoidal_pos_embds", "qa_dropout", "seq_classif_dropout", "tie_weights_"});
    if (what == kind::electra)
      config.pass_over({"summary_activation", "summary_last_dropout", "summary_type", "summary_use_proj",
                        "generator_size"});
  }
  const int padding = roberta ? [&] {
    if (!config.has("pad_token_id")) config.fail("pad_token_id", "expected this setting; there is none");
    config.pass_over({"pad_token_id"});
    return config.whole("pad_token_id");
  }() : 0;
  if (roberta && s.rows <= padding + 1)
    config.fail(
        "max_position_embeddings",
        fmt::format("expected more than {}, where positions of text begin; found {}", padding + 1, s.rows));

  // The table of token vectors, which a head that shares it may have instead.
  const bool masked =
      causal || name.ends_with("ForMaskedLM") || (what == kind::bert && name.ends_with("ForPreTraining"));
  const std::string words = from.gguf ? "token_embd.weight" : "embeddings.word_embeddings.weight",
                    scores = what == kind::bert         ? "cls.predictions.decoder"
                             : what == kind::roberta    ? "lm_head.decoder"
                             : what == kind::distilbert ? "vocab_projector"
                                                        : "generator_lm_head";
  const bool by_head = masked && !tensors.has(words) && tensors.has(scores + ".weight");
  const std::string words_name = by_head ? scores + ".weight" : words;
  tensors.expect(words_name, {s.vocab, s.word_width});
  tensors.expect(from.gguf ? "position_embd.weight" : "embeddings.position_embeddings.weight",
                 {s.rows, s.word_width});
  if (s.types > 0)
    tensors.expect(from.gguf ? "token_types.weight" : "embeddings.token_type_embeddings.weight",
                   {s.types, s.word_width});
  expect_norm(tensors, from.gguf ? "token_embd_norm" : "embeddings.LayerNorm", s.word_width);
  const bool project = s.word_width != s.width;
  if (project) expect_linear(tensors, "embeddings_project", s.width, s.word_width);
  expect_layers(tensors, s, what, from.gguf);
  tensors.pass_over_quietly("*embeddings.position_ids");
  const bool has_ids = tensors.has("embeddings.position_ids");

  model_plan plan{"new/encoder.hpp.in", "encoder", "run", "", {}, {}};
  text_values& v = plan.values;
  for (const char* flag : {"first", "mean", "largest", "unit", "generate", "hidden", "pooled", "sentence",
                           "masked", "classify", "tag", "discriminate", "classes", "pooling", "modules"})
    v[flag] = "";
  head h{tensors};
  if (has_ids) h.rule("", "embeddings.position_ids", ", naming::ignored");
  std::string head_activation = s.activation;
  if (masked) {
    const std::string transform = what == kind::bert         ? "cls.predictions.transform.dense"
                                  : what == kind::roberta    ? "lm_head.dense"
                                  : what == kind::distilbert ? "vocab_transform"
                                                             : "generator_predictions.dense";
    const std::string norm = what == kind::bert         ? "cls.predictions.transform.LayerNorm"
                             : what == kind::roberta    ? "lm_head.layer_norm"
                             : what == kind::distilbert ? "vocab_layer_norm"
                                                        : "generator_predictions.LayerNorm";
    const std::string bias = what == kind::bert      ? "cls.predictions.bias"
                             : what == kind::roberta ? "lm_head.bias"
                                                     : scores + ".bias";
    h.linear("predict.transform", transform, s.word_width, s.width);
    h.norm("predict.norm", norm, s.word_width);
    const bool own_bias = tensors.has(bias);
    tensors.expect(own_bias ? bias : scores + ".bias", {s.vocab});
    h.rule("predict.bias", own_bias ? bias : scores + ".bias");
    if (own_bias && bias != scores + ".bias") h.tied("predict.bias", scores + ".bias", {s.vocab});
    if (!by_head) h.tied("words", scores + ".weight", {s.vocab, s.word_width});
    if (roberta || what == kind::electra) head_activation = "gelu";
    if (what == kind::bert) h.ignored("cls.seq_relationship.");
    h.ignored("pooler.");
    v["masked"] = "yes";
    v["outputs_text"] = "logits [B, T, vocab] of the token at each position";
    if (causal) v["generate"] = "yes", plan.app = "generate", plan.stream = "T";
  } else if (name.ends_with("ForSequenceClassification")) {
    const std::string pooler = what == kind::bert         ? "pooler.dense"
                               : what == kind::distilbert ? "pre_classifier"
                                                          : "classifier.dense",
                      last = what == kind::roberta || what == kind::electra ? "classifier.out_proj"
                                                                            : "classifier";
    const int classes = classes_of(config, tensors, last + ".weight");
    h.linear("pooler", pooler, s.width, s.width);
    h.linear("classifier", last, classes, s.width);
    head_activation = what == kind::distilbert ? "relu" : what == kind::electra ? "gelu" : "tanh";
    v["classify"] = v["first"] = "yes", v["classes"] = std::to_string(classes);
    v["outputs_text"] = "logits [B, classes]";
    plan.app = "classify";
  } else if (name.ends_with("ForTokenClassification")) {
    const int classes = classes_of(config, tensors, "classifier.weight");
    h.linear("classifier", "classifier", classes, s.width);
    h.ignored("pooler.");
    v["tag"] = "yes", v["classes"] = std::to_string(classes);
    v["outputs_text"] = "logits [B, T, classes]";
    plan.app = "tag";
  } else if (name.ends_with("ForPreTraining")) {
    h.linear("discriminator.dense", "discriminator_predictions.dense", s.width, s.width);
    h.linear("discriminator.score", "discriminator_predictions.dense_prediction", 1, s.width);
    v["discriminate"] = "yes";
    v["outputs_text"] = "logits [B, T]";
  } else {
    plan.app = "embed";
    const bool pooler = !from.gguf && tensors.has("pooler.dense.weight");
    if (from.modules) {
      h.ignored("pooler.");
      plan_modules(from, tensors, s, v, h.rules);
    } else {
      if (pooler) h.linear("pooler", "pooler.dense", s.width, s.width), v["pooled"] = v["first"] = "yes";
      plan_plain(v);
    }
    if (what == kind::bert) h.ignored("cls.");
  }
  tensors.finish(name);
  config.finish(name);
  plan.passed_over = tensors.passed_over();

  const bool old = tensors.has("embeddings.LayerNorm.gamma"), types = s.types > 1;
  const bool needs_lengths = roberta;
  v["layers"] = std::to_string(s.layers), v["heads"] = std::to_string(s.heads),
  v["width"] = std::to_string(s.width);
  v["inner"] = std::to_string(s.inner), v["vocab"] = std::to_string(s.vocab),
  v["types"] = types ? std::to_string(s.types) : "";
  v["context"] = std::to_string(roberta ? s.rows - padding - 1 : s.rows);
  v["epsilon"] = s.epsilon, v["activation"] = s.activation, v["head_activation"] = head_activation;
  v["word_width"] = std::to_string(s.word_width), v["word_width_name"] = project ? "word_width" : "width";
  v["project"] = flag_text(project), v["one_type"] = flag_text(s.types == 1),
  v["roberta"] = flag_text(roberta);
  v["distilbert"] = flag_text(what == kind::distilbert), v["gguf"] = flag_text(from.gguf),
  v["padding"] = std::to_string(padding), v["first_position"] = std::to_string(padding + 1);
  v["prefix"] = prefix, v["words_name"] = words_name, v["tied_name"] = "";
  v["norm_weight"] = old ? "gamma" : "weight", v["norm_bias"] = old ? "beta" : "bias",
  v["head_rules"] = h.rules;
  v["types_text"] = types ? ", its type" : "", v["types_text_of_inputs"] = types ? " and types" : "";
  v["types_parameter"] = types ? ", expr types" : "", v["types_argument"] = types ? ", types" : "";
  v["lengths_parameter"] = needs_lengths ? ", expr lengths" : "",
  v["lengths_argument"] = needs_lengths ? ", lengths" : "";
  return plan;
}

} // namespace tool
