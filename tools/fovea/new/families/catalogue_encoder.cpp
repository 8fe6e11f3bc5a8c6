#include "catalogue_encoder.hpp"

namespace tool {

head_kind head_kind_of(const checkpoint& from) {
  const std::string& name = from.architecture;
  if (name.ends_with("ForMaskedLM")) return head_kind::token_scores;
  if (name.ends_with("ForSequenceClassification")) return head_kind::class_scores;
  if (name.ends_with("ForTokenClassification")) return head_kind::token_class_scores;
  return head_kind::none;
}

namespace {

void plan_classifier(checkpoint& from, int width, head_rules& rules, model_plan& plan) {
  const int classes = classes_of(from.config, rules.tensors(), "classifier.weight");
  rules.tensors().expect_biased("classifier", {classes, width}); // called as in the catalogue
  plan.values["classes"] = std::to_string(classes);
  plan.labels = labels_of(from.config, classes);
}

void plan_vectors(checkpoint& from, int width, head_rules& rules, model_plan& plan) {
  plan.app = "embed";
  if (from.modules)
    plan_modules(from, width, rules, plan.values);
  else
    plan_network(plan.values);
}

} // namespace

model_plan plan_catalogue_encoder(checkpoint& from, tensor_list& tensors, const catalogue_encoder& called,
                                  const std::vector<member>& sizes, int width, int context) {
  model_plan plan{"new/catalogue_encoder.hpp.in", "encoder", "run"};
  head_rules rules(tensors);
  clear_head(plan.values);
  plan.values["scores"] = "";
  switch (head_kind_of(from)) {
    case head_kind::none:
      plan_vectors(from, width, rules, plan);
      break;
    case head_kind::token_scores:
      plan.values["scores"] = called.token_scores;
      plan.values["outputs_text"] = "logits [B, T, vocab] of the token at each position";
      break;
    case head_kind::class_scores:
      plan_classifier(from, width, rules, plan);
      plan.app = "classify";
      plan.values["scores"] = called.class_scores;
      plan.values["outputs_text"] = "logits [B, classes]";
      break;
    case head_kind::token_class_scores:
      plan_classifier(from, width, rules, plan);
      plan.app = "tag";
      plan.values["scores"] = called.token_class_scores;
      plan.values["outputs_text"] = "logits [B, T, classes]";
  }
  // What its words are made of.
  if (plan.values["scores"].find("first_of(") != std::string::npos) plan.values["first"] = "yes";
  if (plan.values["scores"].find("mean_of(") != std::string::npos) plan.values["mean"] = "yes";
  set_sentence_parts(plan.values);
  tensors.finish(from.architecture);
  from.config.finish(from.architecture);
  plan.passed_over = tensors.passed_over();
  plan.values.insert({{"header", called.header},
                      {"names", called.names},
                      {"words", called.words},
                      {"parts", called.parts},
                      {"head_rules", rules.text()},
                      {"members", member_lines(sizes)},
                      {"context", std::to_string(context)}});
  return plan;
}

} // namespace tool
