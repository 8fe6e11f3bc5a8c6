#include "family.hpp"

#include "../failure.hpp"

#include <fovea/base/in_quotes.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <ranges>

namespace tool {
namespace {

using families = std::map<std::string, family, std::less<>>;

const families& known_families(bool gguf) {
  static const families of_gguf{{"bert", plan_encoder},    {"gemma2", plan_gemma},  {"gemma3", plan_gemma},
                                {"gpt2", plan_gpt2},       {"llama", plan_decoder}, {"olmoe", plan_mixture},
                                {"phi3", plan_phi3},       {"qwen2", plan_decoder}, {"qwen3", plan_decoder},
                                {"qwen3moe", plan_mixture}};
  static const families of_classes{{"BertModel", plan_encoder},
                                   {"BertForMaskedLM", plan_encoder},
                                   {"BertForPreTraining", plan_encoder},
                                   {"BertForSequenceClassification", plan_encoder},
                                   {"BertForTokenClassification", plan_encoder},
                                   {"BertLMHeadModel", plan_encoder},
                                   {"DistilBertModel", plan_encoder},
                                   {"DistilBertForMaskedLM", plan_encoder},
                                   {"DistilBertForSequenceClassification", plan_encoder},
                                   {"DistilBertForTokenClassification", plan_encoder},
                                   {"ElectraModel", plan_encoder},
                                   {"ElectraForPreTraining", plan_encoder},
                                   {"ElectraForMaskedLM", plan_encoder},
                                   {"ElectraForSequenceClassification", plan_encoder},
                                   {"ElectraForTokenClassification", plan_encoder},
                                   {"RobertaModel", plan_encoder},
                                   {"RobertaForMaskedLM", plan_encoder},
                                   {"RobertaForSequenceClassification", plan_encoder},
                                   {"RobertaForTokenClassification", plan_encoder},
                                   {"XLMRobertaModel", plan_encoder},
                                   {"XLMRobertaForMaskedLM", plan_encoder},
                                   {"XLMRobertaForSequenceClassification", plan_encoder},
                                   {"XLMRobertaForTokenClassification", plan_encoder},
                                   {"DebertaV2Model", plan_deberta},
                                   {"DebertaV2ForMaskedLM", plan_deberta},
                                   {"DebertaV2ForSequenceClassification", plan_deberta},
                                   {"DebertaV2ForTokenClassification", plan_deberta},
                                   {"ModernBertModel", plan_modernbert},
                                   {"ModernBertForMaskedLM", plan_modernbert},
                                   {"ModernBertForSequenceClassification", plan_modernbert},
                                   {"ModernBertForTokenClassification", plan_modernbert},
                                   {"Gemma2ForCausalLM", plan_gemma},
                                   {"Gemma3ForCausalLM", plan_gemma},
                                   {"GPT2LMHeadModel", plan_gpt2},
                                   {"LlamaForCausalLM", plan_decoder},
                                   {"MistralForCausalLM", plan_decoder},
                                   {"OlmoeForCausalLM", plan_mixture},
                                   {"Phi3ForCausalLM", plan_phi3},
                                   {"Qwen2ForCausalLM", plan_decoder},
                                   {"Qwen3ForCausalLM", plan_decoder},
                                   {"Qwen3MoeForCausalLM", plan_mixture},
                                   {"BartForConditionalGeneration", plan_bart},
                                   {"M2M100ForConditionalGeneration", plan_m2m100},
                                   {"MarianMTModel", plan_marian},
                                   {"T5ForConditionalGeneration", plan_t5},
                                   {"ViTForImageClassification", plan_vit},
                                   {"MambaForCausalLM", plan_mamba},
                                   {"Mamba2ForCausalLM", plan_mamba2},
                                   {"RwkvForCausalLM", plan_rwkv},
                                   {"WhisperForConditionalGeneration", plan_whisper}};
  return gguf ? of_gguf : of_classes;
}

} // namespace

void expect_known(std::string_view architecture, bool gguf, const settings& config) {
  const families& known = known_families(gguf);
  if (known.contains(architecture)) return;
  // Of the many classes those of the same network are told.
  const std::string_view network =
      architecture.substr(0, std::min(architecture.find("For"), architecture.find("Model")));
  const auto told = [&](const std::string& name) { return gguf || name.starts_with(network); };
  const std::string names =
      fmt::format("{}", fmt::join(known | std::views::keys | std::views::filter(told), ", "));
  const std::string found = "; found " + fovea::core::in_quotes(architecture);
  if (gguf) config.fail("general.architecture", "expected one of " + names + found);
  config.fail("architectures", fmt::format("expected one of the {} classes of docs/new.md{}{}", known.size(),
                                           names.empty() ? "" : ", such as " + names, found));
}

family family_of(const checkpoint& from) { return known_families(from.gguf).at(from.architecture); }

int classes_of(settings& config, tensor_list& tensors, const std::string& weight) {
  const int classes = tensors.rows_of(weight);
  const auto labels = config.members("id2label");
  if (labels && *labels != classes)
    config.fail("id2label", fmt::format("expected {} labels, as the tensor {} has rows; found {}", classes,
                                        fovea::core::in_quotes(weight), *labels));
  config.expect("num_labels", classes);
  return classes;
}

std::vector<std::string> labels_of(settings& config, int classes) {
  std::vector<std::string> names;
  auto all = config.within("id2label");
  for (int i = 0; all && i < classes; ++i) {
    names.push_back(all->text(std::to_string(i)));
    if (names.back().empty()) all->fail(std::to_string(i), "expected the name of a class; there is none");
  }
  return names;
}

std::string number_text(double x, const checkpoint& from) {
  std::string text = from.gguf ? fmt::format("{}", static_cast<float>(x)) : fmt::format("{}", x);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

void check_heads(const settings& config, const char* width_key, int width, const char* heads_key, int heads) {
  if (width % heads != 0)
    config.fail(heads_key, fmt::format("expected a divisor of {} {}; found {}", config.name_of(width_key),
                                       width, heads));
}

} // namespace tool
