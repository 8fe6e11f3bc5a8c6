#include "encoder.hpp"

#include "../../failure.hpp"

#include <fovea/base/in_quotes.hpp>

#include <fmt/format.h>

namespace tool {
namespace {

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

/// A function of torch as a word; empty: the identity.
std::string activation_word(settings& config) {
  static const std::map<std::string, std::string> words{
      {"Tanh", "tanh"}, {"Identity", ""}, {"ReLU", "relu"}, {"GELU", "gelu"}};
  const std::string name = config.text("activation_function", "torch.nn.modules.activation.Tanh");
  const auto found = words.find(name.substr(name.rfind('.') + 1));
  if (found == words.end())
    config.fail("activation_function",
                "expected Tanh, Identity, ReLU or GELU; found " + fovea::core::in_quotes(name));
  return found->second;
}

/// A dense layer from `width` features to those that it returns, as a line of the model.
int plan_dense(checkpoint& from, sentence_module& module, std::size_t number, int width, head_rules& rules,
               std::string& lines) {
  settings& config = module.config;
  const int in = config.whole("in_features"), out = config.whole("out_features");
  const bool bias = config.flag("bias", true);
  const std::string function = activation_word(config), ours = fmt::format("dense.{}", number),
                    theirs = fmt::format("{}_Dense.", number);
  if (in != width)
    config.fail("in_features", fmt::format("expected {}, the width before it; found {}", width, in));
  config.finish("dense layer");
  from.add_part(module.folder / "model.safetensors", theirs);
  rules.tensors().take_in(theirs);
  rules.linear(ours, theirs + "linear", out, in, bias);
  const std::string layer =
      fmt::format("linear(sentence, \"{}\", {}{})", ours, out, bias ? "" : ", {.bias = false}");
  lines += fmt::format("  sentence = {};\n", function.empty() ? layer : function + "(" + layer + ")");
  return out;
}

} // namespace

void plan_modules(checkpoint& from, int width, head_rules& rules, text_values& values) {
  using kind = sentence_module::kind;
  std::vector<sentence_module>& modules = *from.modules;
  const std::string source = (from.path / "modules.json").string();
  if (modules.empty() || modules.front().what != kind::pooling)
    throw failure(source + ": expected a module Pooling behind the Transformer");
  plan_pooling(modules.front().config, width, values);
  std::string lines;
  for (std::size_t i = 1; i < modules.size(); ++i) {
    if (modules[i].what == kind::pooling) throw failure(source + ": expected one module Pooling; found two");
    if (modules[i].what == kind::dense) {
      width = plan_dense(from, modules[i], i + 1, width, rules, lines);
    } else {
      values["unit"] = "yes";
      lines += "  sentence = unit(sentence);\n";
    }
  }
  values["sentence"] = "yes", values["modules"] = lines;
  values["outputs_text"] = fmt::format("sentence [B, {}]", width);
}

} // namespace tool
