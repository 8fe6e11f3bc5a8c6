#include "settings.hpp"

#include "../failure.hpp"

#include <fovea/base/in_quotes.hpp>
#include <fovea/base/json/parse_json.hpp>

#include <algorithm>
#include <cmath>

namespace tool {

using fovea::core::in_quotes;
using fovea::core::shown;
using nlohmann::json;

settings::settings(json values, std::string source) : values_(std::move(values)), source_(std::move(source)) {
  if (!values_.is_object())
    throw failure(source_ + ": expected an object of settings; found " + shown(values_));
}

std::string settings::name_of(std::string_view key) const {
  const auto found = names_.find(key);
  return found == names_.end() ? std::string(key) : found->second;
}

void settings::fail(std::string_view key, const std::string& problem) const {
  throw failure(source_ + ": " + name_of(key) + ": " + problem);
}

const json* settings::find(std::string_view key) const {
  const auto found = values_.find(name_of(key));
  return found == values_.end() || found->is_null() ? nullptr : &*found;
}

const json* settings::take(std::string_view key) {
  known_.insert(name_of(key));
  return find(key);
}

const json& settings::needed(std::string_view key) {
  const json* found = take(key);
  if (found == nullptr) fail(key, "expected this setting; there is none");
  return *found;
}

int settings::whole_up_to(std::string_view key, int most) {
  const json& value = needed(key);
  const bool fits = value.is_number_integer() && value.get<double>() >= 1 && value.get<double>() <= most;
  if (!fits)
    fail(key, "expected a whole number from 1 to " + std::to_string(most) + "; found " + shown(value));
  return value.get<int>();
}

int settings::count(std::string_view key) {
  const json* value = take(key);
  return value == nullptr || *value == 0 ? 0 : whole(key);
}
int settings::whole(std::string_view key) { return whole_up_to(key, 1 << 24); }
int settings::whole(std::string_view key, int otherwise) {
  return take(key) == nullptr ? otherwise : whole(key);
}
int settings::factor(std::string_view key) { return whole_up_to(key, 1 << 15); }
int settings::factor(std::string_view key, int otherwise) {
  return take(key) == nullptr ? otherwise : factor(key);
}

int settings::whole_or(std::string_view key, std::string_view text, int otherwise) {
  const json* value = take(key);
  return value != nullptr && *value == text ? otherwise : whole(key, otherwise);
}

double settings::number(std::string_view key) {
  const json& value = needed(key);
  if (!value.is_number() || !(value.get<double>() > 0) || !std::isfinite(value.get<double>()))
    fail(key, "expected a number above 0; found " + shown(value));
  return value.get<double>();
}
double settings::number(std::string_view key, double otherwise) {
  return take(key) == nullptr ? otherwise : number(key);
}

double settings::number_unless_null(std::string_view key, double otherwise) {
  const auto found = values_.find(name_of(key));
  return number(key, found != values_.end() && found->is_null() ? 0 : otherwise);
}

std::vector<double> settings::numbers(std::string_view key, std::size_t count) {
  const json& value = needed(key);
  const bool fits =
      value.is_array() && value.size() == count && std::ranges::all_of(value, [](const json& one) {
        return one.is_number() && one.get<double>() > 0 && std::isfinite(one.get<double>());
      });
  if (!fits)
    fail(key, "expected a list of " + std::to_string(count) + " numbers above 0; found " +
                  (value.is_array() ? std::to_string(value.size()) + " of them" : shown(value)));
  return value.get<std::vector<double>>();
}

bool settings::flag(std::string_view key, bool otherwise) {
  const json* value = take(key);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) fail(key, "expected true or false; found " + shown(*value));
  return value->get<bool>();
}

std::vector<bool> settings::flags(std::string_view key) {
  const json* value = take(key);
  if (value == nullptr || !value->is_array()) return {};
  std::vector<bool> made;
  for (const json& one : *value) {
    if (!one.is_boolean() && one != 0 && one != 1)
      fail(key, "expected a list of true and false; found " + shown(one) + " in it");
    made.push_back(one.is_boolean() ? one.get<bool>() : one == 1);
  }
  return made;
}

std::string settings::text(std::string_view key, std::string_view otherwise) {
  const json* value = take(key);
  if (value == nullptr) return std::string(otherwise);
  if (!value->is_string()) fail(key, "expected a text; found " + shown(*value));
  return value->get<std::string>();
}

std::vector<std::string> settings::texts(std::string_view key) {
  const json* value = take(key);
  if (value == nullptr) return {};
  const bool fits =
      value->is_array() && std::ranges::all_of(*value, [](const json& one) { return one.is_string(); });
  if (!fits) fail(key, "expected a list of texts; found " + shown(*value));
  return value->get<std::vector<std::string>>();
}

std::vector<std::string> settings::texts_or_text(std::string_view key, char between) {
  const json* value = take(key);
  if (value == nullptr || !value->is_string()) return texts(key);
  std::vector<std::string> parts;
  std::string rest = value->get<std::string>();
  for (std::size_t end; (end = rest.find(between)) != rest.npos; rest.erase(0, end + 1))
    parts.push_back(rest.substr(0, end));
  parts.push_back(rest);
  return parts;
}

std::vector<int> settings::ids(std::string_view key) const {
  const json* value = find(key);
  if (value == nullptr) return {};
  const json list = value->is_array() ? *value : json::array({*value});
  const bool fits = std::ranges::all_of(list, [](const json& one) {
    return one.is_number_integer() && one.get<double>() >= 0 && one.get<double>() < 1 << 24;
  });
  if (!fits) fail(key, "expected the id of a token, or a list of them; found " + shown(*value));
  return list.get<std::vector<int>>();
}

std::optional<int> settings::members(std::string_view key) {
  const json* value = take(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_structured()) fail(key, "expected an object or a list; found " + shown(*value));
  return static_cast<int>(value->size());
}

std::optional<settings> settings::within(std::string_view key) {
  const json* value = take(key);
  if (value == nullptr) return std::nullopt;
  return settings(*value, source_ + ": " + name_of(key));
}

std::string settings::one_of(std::string_view key, std::initializer_list<const char*> known) {
  const std::string found = text(key, *known.begin());
  if (std::ranges::find(known, found) != known.end()) return found;
  std::string list;
  for (const char* one : known) list += (list.empty() ? "" : ", ") + in_quotes(one);
  fail(key, "expected " + list + "; found " + in_quotes(found));
}

void settings::demand(std::string_view key, const json& value) {
  if (!has(key)) fail(key, "expected " + shown(value) + "; there is none");
  expect(key, value);
}

void settings::expect(std::string_view key, const json& value) {
  const json* found = take(key);
  if (found != nullptr && *found != value) fail(key, "expected " + shown(value) + "; found " + shown(*found));
}

void settings::pass_over(std::initializer_list<const char*> keys) {
  for (const char* key : keys) known_.insert(name_of(key));
}
void settings::pass_over_beginning(std::string_view beginning) { beginnings_.emplace_back(beginning); }

void settings::finish(std::string_view what) const {
  for (const auto& [key, value] : values_.items()) {
    const bool passed = known_.contains(key) || std::ranges::any_of(beginnings_, [&](const std::string& one) {
                          return key.starts_with(one);
                        });
    if (!passed && !value.is_null())
      throw failure(source_ + ": " + fovea::core::shortened(key) + ": this setting of a " +
                    std::string(what) + " is not known; found " + shown(value));
  }
}

void pass_over_common(settings& all, bool encoder_decoder) {
  // What belongs to training, to how the library keeps and runs the model, or to how text is generated.
  all.pass_over({"_name_or_path",
                 "_num_labels",
                 "_commit_hash",
                 "_attn_implementation",
                 "_attn_implementation_autoset",
                 "architectures",
                 "attention_dropout",
                 "attention_probs_dropout_prob",
                 "attn_implementation",
                 "auto_map",
                 "bad_words_ids",
                 "begin_suppress_tokens",
                 "bos_token_id",
                 "chunk_size_feed_forward",
                 "classifier_dropout",
                 "diversity_penalty",
                 "do_sample",
                 "dropout",
                 "dtype",
                 "early_stopping",
                 "encoder_no_repeat_ngram_size",
                 "eos_token_id",
                 "exponential_decay_length_penalty",
                 "finetuning_task",
                 "forced_bos_token_id",
                 "forced_eos_token_id",
                 "gradient_checkpointing",
                 "hidden_dropout_prob",
                 "id2label",
                 "initializer_factor",
                 "initializer_range",
                 "label2id",
                 "language",
                 "length_penalty",
                 "max_length",
                 "min_length",
                 "model_type",
                 "name_or_path",
                 "no_repeat_ngram_size",
                 "num_beam_groups",
                 "num_beams",
                 "num_labels",
                 "num_return_sequences",
                 "output_attentions",
                 "output_hidden_states",
                 "output_past",
                 "output_scores",
                 "pad_token_id",
                 "prefix",
                 "problem_type",
                 "remove_invalid_values",
                 "repetition_penalty",
                 "return_dict",
                 "return_dict_in_generate",
                 "sep_token_id",
                 "suppress_tokens",
                 "task_specific_params",
                 "temperature",
                 "tf_legacy_loss",
                 "tokenizer_class",
                 "top_k",
                 "top_p",
                 "torch_dtype",
                 "torchscript",
                 "transformers_version",
                 "typical_p",
                 "use_bfloat16",
                 "use_cache",
                 "cls_token_id",
                 "unk_token_id",
                 "mask_token_id"});
  all.expect("is_encoder_decoder", encoder_decoder);
  all.expect("add_cross_attention", false);
  all.expect("cross_attention_hidden_size", nullptr);
  all.expect("pruned_heads", json::object());
  all.expect("tie_encoder_decoder", false);
}

} // namespace tool
