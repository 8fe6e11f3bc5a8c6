#include "catalogue_encoder.hpp"

#include <fovea/base/in_quotes.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace tool {
namespace {

/// Every so many layers, from the first on, one sees all tokens; the others are windows.
int period_of(settings& config, int layers) {
  const int period = config.whole("global_attn_every_n_layers", 3);
  const std::vector<std::string> types = config.texts("layer_types");
  if (types.empty()) return period;
  if (static_cast<int>(types.size()) != layers)
    config.fail("layer_types", fmt::format("expected {} of them, as num_hidden_layers says; found {}", layers,
                                           types.size()));
  const int found =
      static_cast<int>(std::find(types.begin() + 1, types.end(), "full_attention") - types.begin());
  for (int i = 0; i < layers; ++i) {
    const std::string& one = types[static_cast<std::size_t>(i)];
    const char* expected = i % found == 0 ? "full_attention" : "sliding_attention";
    if (one != expected)
      config.fail("layer_types", fmt::format("expected {} for layer {}, of a period of {}; found {}",
                                             expected, i, found, fovea::core::in_quotes(one)));
  }
  return found;
}

struct turns {
  double of_all, of_windows;
};

turns turns_of(settings& config, int context, const checkpoint& from) {
  const double all = config.number("global_rope_theta", 160000);
  const double windows = config.number_unless_null("local_rope_theta", 10000);
  turns made{all, windows > 0 ? windows : all};
  auto by_kind = config.within("rope_parameters");
  if (!by_kind) return made;
  const auto base_of = [&](const char* kind, double otherwise) {
    auto given = by_kind->within(kind);
    if (!given) return otherwise;
    const rotary_positions found = rotary_in(*given, otherwise, context, from);
    if (!found.scaling.empty())
      config.fail("rope_parameters", "expected plain positions; found " + found.scaling);
    return found.base;
  };
  made = {base_of("full_attention", made.of_all), base_of("sliding_attention", made.of_windows)};
  by_kind->finish("rotary position");
  return made;
}

/// What the model alone, its head and the library's speed are told.
void check_settings(settings& config) {
  pass_over_common(config);
  config.one_of("hidden_activation", {"gelu"});
  config.one_of("classifier_activation", {"gelu"});
  for (const char* bias : {"attention_bias", "classifier_bias", "mlp_bias", "norm_bias"})
    config.expect(bias, false);
  config.expect("decoder_bias", true);
  config.expect("tie_word_embeddings", true);
  config.pass_over({"deterministic_flash_attn", "embedding_dropout", "initializer_cutoff_factor",
                    "layer_norm_eps", "mlp_dropout", "position_embedding_type", "reference_compile",
                    "repad_logits_with_grad", "sparse_pred_ignore_index", "sparse_prediction"});
}

void expect_head(tensor_list& tensors, int width) {
  tensors.expect("head.dense.weight", {width, width});
  tensors.expect("head.norm.weight", {width});
}

} // namespace

model_plan plan_modernbert(checkpoint& from) {
  settings& config = from.config;
  const int layers = config.whole("num_hidden_layers"), heads = config.factor("num_attention_heads"),
            width = config.factor("hidden_size"), inner = config.factor("intermediate_size"),
            vocab = config.whole("vocab_size"), context = config.whole("max_position_embeddings"),
            window = config.whole("local_attention", 128);
  const double epsilon = config.number("norm_eps", 1e-5);
  check_heads(config, "hidden_size", width, "num_attention_heads", heads);
  if (layers < 2) config.fail("num_hidden_layers", fmt::format("expected at least 2; found {}", layers));
  const int period = period_of(config, layers);
  const turns rotary = turns_of(config, context, from);
  const std::string pooling = config.one_of("classifier_pooling", {"cls", "mean"});
  check_settings(config);

  tensor_list tensors(from, "model.");
  tensors.expect("embeddings.tok_embeddings.weight", {vocab, width});
  if (tensors.has("decoder.weight")) tensors.expect("decoder.weight", {vocab, width});
  for (const char* norm : {"embeddings.norm.weight", "final_norm.weight"}) tensors.expect(norm, {width});
  for (int i = 0; i < layers; ++i) {
    const std::string at = fmt::format("layers.{}.", i);
    if (i > 0) tensors.expect(at + "attn_norm.weight", {width});
    tensors.expect(at + "attn.Wqkv.weight", {3 * width, width});
    tensors.expect(at + "attn.Wo.weight", {width, width});
    tensors.expect(at + "mlp_norm.weight", {width});
    tensors.expect(at + "mlp.Wi.weight", {2 * inner, width});
    tensors.expect(at + "mlp.Wo.weight", {width, inner});
  }
  const head_kind head = head_kind_of(from);
  if (head == head_kind::none)
    tensors.pass_over("head.*");
  else
    expect_head(tensors, width);
  if (head == head_kind::token_scores)
    tensors.expect("decoder.bias", {vocab});
  else
    tensors.pass_over("decoder.bias");

  const auto classified = [](const std::string& x) {
    return fmt::format("linear(models::modernbert_norm(gelu(linear({}, \"predict.dense\", sizes.width,\n"
                       "      {{.bias = false}})), \"predict.norm\", sizes), \"classifier\", classes)",
                       x);
  };
  return plan_catalogue_encoder(from, tensors,
                                {"modernbert", "modernbert_names<sizes>", "modernbert_words(tokens, sizes)",
                                 "models::modernbert_token_scores(x, words, sizes)",
                                 classified(pooling == "cls" ? "first_of(x)" : "mean_of(x, lengths)"),
                                 classified("x"),
                                 "modernbert_block, modernbert_attention, modernbert_feed_forward"},
                                {{"layers", std::to_string(layers)},
                                 {"heads", std::to_string(heads)},
                                 {"width", std::to_string(width)},
                                 {"inner", std::to_string(inner)},
                                 {"vocab", std::to_string(vocab)},
                                 {"window", std::to_string(window)},
                                 {"period", std::to_string(period)},
                                 {"base", number_text(rotary.of_all, from)},
                                 {"local_base", number_text(rotary.of_windows, from)},
                                 {"epsilon", number_text(epsilon, from)}},
                                width, context);
}

} // namespace tool
