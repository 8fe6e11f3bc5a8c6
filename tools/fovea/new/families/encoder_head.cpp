#include "encoder.hpp"

#include "../../embedded_text.hpp"

#include <fovea/base/in_quotes.hpp>

#include <fmt/format.h>

namespace tool {

void expect_norm(tensor_list& tensors, const std::string& name, int width) {
  const bool old = tensors.has(name + ".gamma");
  tensors.expect(name + (old ? ".gamma" : ".weight"), {width});
  tensors.expect(name + (old ? ".beta" : ".bias"), {width});
}

void head_rules::rule(const std::string& ours, const std::string& theirs, const char* how) {
  text_ += fmt::format("    {{\"{}\", \"{}\"{}}},\n", ours, theirs, how);
}

void head_rules::linear(const std::string& ours, const std::string& theirs, int out, int in, bool bias) {
  tensors_->expect(theirs + ".weight", {out, in});
  rule(ours + ".weight", theirs + ".weight");
  if (!bias) return;
  tensors_->expect(theirs + ".bias", {out});
  rule(ours + ".bias", theirs + ".bias");
}

void head_rules::norm(const std::string& ours, const std::string& theirs, int width) {
  const bool old = tensors_->has(theirs + ".gamma");
  expect_norm(*tensors_, theirs, width);
  rule(ours + ".weight", theirs + (old ? ".gamma" : ".weight"));
  rule(ours + ".bias", theirs + (old ? ".beta" : ".bias"));
}

void head_rules::ignored(const std::string& beginning) {
  const std::size_t before = tensors_->passed_over().size();
  tensors_->pass_over(tensors_->prefix() + beginning + "*");
  tensors_->pass_over(beginning + "*");
  if (tensors_->passed_over().size() > before) rule("", beginning + "**", ", naming::ignored");
}

void head_rules::tied(const std::string& ours, const std::string& theirs, const std::vector<int>& shape) {
  if (!tensors_->has(theirs)) return;
  tensors_->expect(theirs, shape);
  rule(ours, theirs, ", naming::tied");
}

bool scores_tokens(const std::string& architecture) {
  return architecture.ends_with("ForMaskedLM") || architecture == "BertForPreTraining" ||
         architecture == "BertLMHeadModel";
}

void clear_head(text_values& values) {
  for (const char* flag :
       {"first", "mean", "largest", "unit", "generate", "hidden", "pooled", "sentence", "masked", "classify",
        "tag", "discriminate", "classes", "pooling", "modules", "head_activation"})
    values[flag] = "";
}

void plan_network(text_values& values) {
  values["hidden"] = values["sentence"] = values["mean"] = values["unit"] = "yes";
  values["pooling"] = "mean_of(x, lengths)";
  values["modules"] =
      "  sentence = unit(sentence); // the checkpoint does not say how a text becomes one vector\n";
  values["outputs_text"] = "hidden [B, T, width],\n/// sentence [B, width]";
}

void set_sentence_parts(text_values& values) {
  values["sentence_parts"] = filled(text_named("new/sentence_parts.hpp.in"), values);
}

namespace {

/// Scores of each token of the vocabulary.
void plan_token_scores(checkpoint& from, const encoder_sizes& s, const encoder_names& names,
                       head_rules& rules, model_plan& plan) {
  rules.linear("predict.transform", names.transform, s.word_width, s.width);
  rules.norm("predict.norm", names.transform_norm, s.word_width);
  // The bias stands alone, beside the table, or both.
  const std::string alone = names.bias, beside = std::string(names.scores) + ".bias",
                    found = rules.tensors().has(alone) ? alone : beside;
  rules.tensors().expect(found, {s.vocab});
  rules.rule("predict.bias", found);
  if (found != beside) rules.tied("predict.bias", beside, {s.vocab});
  rules.ignored("cls.seq_relationship.");
  rules.ignored("pooler.");
  plan.values["masked"] = "yes";
  plan.values["outputs_text"] = "logits [B, T, vocab] of the token at each position";
  if (!from.architecture.starts_with("Bert") && !from.architecture.starts_with("DistilBert"))
    plan.values["head_activation"] = "gelu"; // whatever the blocks have
  if (from.architecture == "BertLMHeadModel") plan.values["generate"] = "yes", plan.app = "generate";
}

/// Scores of the classes of a text, by its first token.
void plan_classes(checkpoint& from, const encoder_sizes& s, const encoder_names& names, head_rules& rules,
                  model_plan& plan) {
  const int classes = classes_of(from.config, rules.tensors(), std::string(names.classifier) + ".weight");
  rules.linear("pooler", names.pooler, s.width, s.width);
  rules.linear("classifier", names.classifier, classes, s.width);
  const bool distilbert = from.architecture.starts_with("DistilBert"),
             electra = from.architecture.starts_with("Electra");
  plan.app = "classify";
  plan.values["head_activation"] = distilbert ? "relu" : electra ? "gelu" : "tanh";
  plan.values["classify"] = plan.values["first"] = "yes";
  plan.values["classes"] = std::to_string(classes);
  plan.labels = labels_of(from.config, classes);
  plan.values["outputs_text"] = "logits [B, classes]";
}

void plan_classes_of_tokens(checkpoint& from, const encoder_sizes& s, head_rules& rules, model_plan& plan) {
  const int classes = classes_of(from.config, rules.tensors(), "classifier.weight");
  rules.linear("classifier", "classifier", classes, s.width);
  rules.ignored("pooler.");
  plan.app = "tag";
  plan.values["tag"] = "yes";
  plan.values["classes"] = std::to_string(classes);
  plan.labels = labels_of(from.config, classes);
  plan.values["outputs_text"] = "logits [B, T, classes]";
}

/// ELECTRA's: whether each token was replaced.
void plan_discriminator(const encoder_sizes& s, head_rules& rules, model_plan& plan) {
  rules.linear("discriminator.dense", "discriminator_predictions.dense", s.width, s.width);
  rules.linear("discriminator.score", "discriminator_predictions.dense_prediction", 1, s.width);
  plan.values["discriminate"] = "yes";
  plan.values["outputs_text"] = "logits [B, T]";
}

/// The network alone, and the pooler of those that have one.
void plan_pooled_network(checkpoint& from, const encoder_sizes& s, head_rules& rules, text_values& values) {
  const bool pooled = !from.gguf && rules.tensors().has("pooler.dense.weight");
  if (pooled) rules.linear("pooler", "pooler.dense", s.width, s.width);
  plan_network(values);
  if (!pooled) return;
  values["pooled"] = values["first"] = "yes";
  values["outputs_text"] = "hidden [B, T, width], pooled [B, width],\n/// sentence [B, width]";
}

} // namespace

void plan_head(checkpoint& from, const encoder_sizes& s, const encoder_names& names, head_rules& rules,
               model_plan& plan) {
  clear_head(plan.values);
  plan.values["head_activation"] = s.activation;
  const std::string& name = from.architecture;
  if (scores_tokens(name)) return plan_token_scores(from, s, names, rules, plan);
  if (name.ends_with("ForSequenceClassification")) return plan_classes(from, s, names, rules, plan);
  if (name.ends_with("ForTokenClassification")) return plan_classes_of_tokens(from, s, rules, plan);
  if (name == "ElectraForPreTraining") return plan_discriminator(s, rules, plan);
  plan.app = "embed";
  if (from.modules) {
    rules.ignored("pooler.");
    plan_modules(from, s.width, rules, plan.values);
  } else {
    plan_pooled_network(from, s, rules, plan.values);
  }
  if (!from.gguf) rules.ignored("cls.");
}

} // namespace tool
