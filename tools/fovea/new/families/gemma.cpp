#include "catalogue.hpp"
#include "gguf_names.hpp"

#include <fovea/base/in_quotes.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace tool {
namespace {

/// Every so many layers one sees all tokens; the others are windows.
int period_of(settings& config, int layers, int otherwise) {
  int period = config.whole("_sliding_window_pattern", otherwise);
  const std::vector<bool> windows = config.flags("sliding_window_pattern"); // of each layer, or a period
  if (windows.empty()) period = config.whole("sliding_window_pattern", period);
  std::vector<std::string> types = config.texts("layer_types");
  const char* key = types.empty() ? "sliding_window_pattern" : "layer_types";
  if (types.empty())
    for (const bool is_window : windows) types.push_back(is_window ? "sliding_attention" : "full_attention");
  if (types.empty()) return period;
  if (static_cast<int>(types.size()) != layers)
    config.fail(
        key, fmt::format("expected {} of them, as num_hidden_layers says; found {}", layers, types.size()));
  period = static_cast<int>(std::ranges::find(types, "full_attention") - types.begin()) + 1;
  for (int i = 0; i < layers; ++i) {
    const std::string& found = types[static_cast<std::size_t>(i)];
    const char* expected = i % period == period - 1 ? "full_attention" : "sliding_attention";
    if (found != expected)
      config.fail(key, fmt::format("expected {} for layer {}, of a period of {}; found {}", expected, i,
                                   period, fovea::core::in_quotes(found)));
  }
  return period;
}

struct turns {
  rotary_positions of_all, of_windows = {};
};

turns turns_of(checkpoint& from, tensor_list& tensors, const decoder_sizes& s, bool gemma3) {
  settings& config = from.config;
  const int context = s.context;
  const double of_all = gemma3 ? 1e6 : 1e4;
  if (auto by_kind = config.within("rope_parameters"); by_kind && by_kind->has("full_attention")) {
    auto all = by_kind->within("full_attention"), windows = by_kind->within("sliding_attention");
    by_kind->finish("rotary position");
    turns made{rotary_in(*all, of_all, context, from)};
    if (windows) made.of_windows = rotary_in(*windows, 1e4, context, from);
    config.expect("rope_theta", nullptr), config.expect("rope_scaling", nullptr);
    config.pass_over({"rope_local_base_freq"}); // which is of an older form
    return made;
  }
  turns made{rotary_of_decoder(from, tensors, s, of_all)};
  made.of_windows.base = gemma3 ? config.number("rope_local_base_freq", 1e4) : made.of_all.base;
  if (!gemma3) made.of_windows.scaling = made.of_all.scaling;
  return made;
}

/// What scores are divided by the root of. GGUF files do not say it: llama.cpp knows the largest ones by their layers.
double query_scalar_of(checkpoint& from, const decoder_sizes& s, bool gemma3) {
  if (!from.gguf) return from.config.number("query_pre_attn_scalar", 256);
  return s.layers == (gemma3 ? 62 : 46) ? s.width / s.heads : s.head_width;
}

} // namespace

model_plan plan_gemma(checkpoint& from) {
  settings& config = from.config;
  const bool gemma3 = from.architecture.starts_with("Gemma3") || from.architecture == "gemma3";
  tensor_list tensors(from, "model.");
  if (from.gguf)
    call_as_gguf(from, tensors,
                 {{"layers.*.post_attention_layernorm", "blk.*.post_attention_norm"},
                  {"layers.*.pre_feedforward_layernorm", "blk.*.ffn_norm"},
                  {"layers.*.post_feedforward_layernorm", "blk.*.post_ffw_norm"}});
  const decoder_sizes s = decoder_sizes_of(config, 1e-6, from.gguf ? 0 : 256);
  const int vocab = vocab_of(from, tensors),
            window = from.gguf ? config.whole("sliding_window") : config.whole("sliding_window", 4096),
            period = period_of(config, s.layers, gemma3 ? 6 : 2);
  const double scalar = query_scalar_of(from, s, gemma3),
               score_cap = config.number_unless_null("attn_logit_softcapping", gemma3 ? 0 : 50),
               logit_cap = config.number_unless_null("final_logit_softcapping", gemma3 ? 0 : 30);
  pass_over_common(config);
  const turns rotary = turns_of(from, tensors, s, gemma3);
  if (!rotary.of_windows.scaling.empty())
    config.fail(config.has("rope_scaling") ? "rope_scaling" : "rope_parameters",
                "expected plain positions in windows; found " + rotary.of_windows.scaling);
  config.one_of("hidden_activation", {"gelu_pytorch_tanh"});
  config.expect("attention_bias", false);
  config.expect("tie_word_embeddings", true);
  config.expect("use_bidirectional_attention", false);
  config.pass_over({"cache_implementation", "hidden_act"}); // which hidden_activation stands for

  tensors.expect("embed_tokens.weight", {vocab, s.width});
  if (tensors.has("lm_head.weight")) tensors.expect("lm_head.weight", {vocab, s.width});
  tensors.expect("norm.weight", {s.width});
  for (int i = 0; i < s.layers; ++i) {
    const std::string at = fmt::format("layers.{}.", i);
    for (const char* norm : {"input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm",
                             "post_feedforward_layernorm"})
      tensors.expect(at + norm + ".weight", {s.width});
    const int normed = gemma3 ? s.head_width : 0;
    expect_attention(tensors, at + "self_attn.", s, {normed, normed});
    for (const char* one : {"gate_proj", "up_proj"})
      tensors.expect(at + "mlp." + one + ".weight", {s.inner, s.width});
    tensors.expect(at + "mlp.down_proj.weight", {s.width, s.inner});
  }
  tensors.finish(from.architecture);
  config.finish(from.architecture);

  std::vector<member> sizes{{"layers", std::to_string(s.layers)},
                            {"heads", std::to_string(s.heads)},
                            {"kv_heads", std::to_string(s.kv_heads)},
                            {"width", std::to_string(s.width)},
                            {"inner", std::to_string(s.inner)},
                            {"vocab", std::to_string(vocab)},
                            {"head_width", std::to_string(s.head_width)},
                            {"window", std::to_string(window)},
                            {"period", std::to_string(period)},
                            {"query_scalar", number_text(scalar, from)},
                            {"base", number_text(rotary.of_all.base, from)},
                            {"local_base", number_text(rotary.of_windows.base, from)},
                            {"score_cap", number_text(score_cap, from)},
                            {"logit_cap", number_text(logit_cap, from)},
                            {"head_norm", bool_text(gemma3)},
                            {"epsilon", number_text(s.epsilon, from)}};
  if (!rotary.of_all.scaling.empty()) sizes.emplace_back("scaling", rotary.of_all.scaling);
  return catalogue_decoder({"gemma", "gemma_config", "gemma_names", "gemma_logits",
                            "gemma_block, gemma_attention, gemma_feed_forward"},
                           sizes, s.context);
}

} // namespace tool
