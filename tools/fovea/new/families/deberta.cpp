#include "catalogue_encoder.hpp"

#include <fovea/base/in_quotes.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tool {
namespace {

/// What the class says already: distances in buckets, compared both ways by the maps of contents.
void check_settings(settings& config, int width, int heads) {
  pass_over_common(config);
  config.one_of("hidden_act", {"gelu"});
  config.one_of("pooler_hidden_act", {"gelu"});
  config.demand("relative_attention", true);
  config.demand("share_att_key", true);
  config.demand("norm_rel_ebd", "layer_norm");
  config.demand("position_biased_input", false);
  config.expect("type_vocab_size", 0);
  config.expect("max_relative_positions", -1); // as many as there are positions
  config.expect("tie_word_embeddings", true);
  for (const char* key : {"embedding_size", "pooler_hidden_size"}) config.expect(key, width);
  config.expect("attention_head_size", width / heads);
  // Which form of head for masked tokens the file has, its tensors show.
  config.pass_over({"cls_dropout", "legacy", "padding_idx", "pooler_dropout", "pooling"});
  const std::string kinds = fmt::format("{}", fmt::join(config.texts_or_text("pos_att_type", '|'), "|"));
  if (kinds != "c2p|p2c" && kinds != "p2c|c2p")
    config.fail("pos_att_type", "expected c2p and p2c; found " + fovea::core::in_quotes(kinds));
}

/// The window of the convolution beside the first block, 0: there is none.
int convolution_of(settings& config) {
  const int window = config.count("conv_kernel_size");
  if (window == 0) {
    config.pass_over({"conv_act", "conv_groups"});
    return 0;
  }
  if (window % 2 == 0)
    config.fail("conv_kernel_size", fmt::format("expected an odd number; found {}", window));
  config.demand("conv_act", "gelu");
  config.expect("conv_groups", 1);
  return window;
}

/// The head for masked tokens: the released files' form, or the one that transformers saves by default.
void expect_token_scores(tensor_list& tensors, int vocab, int width) {
  const bool released = tensors.has("lm_predictions.lm_head.bias");
  const std::string at = released ? "lm_predictions.lm_head." : "cls.predictions.";
  const std::string map = released ? at : at + "transform.";
  tensors.expect_biased(map + "dense", {width, width});
  tensors.expect_biased(map + "LayerNorm", {width});
  tensors.expect(at + "bias", {vocab});
  if (released) return;
  if (tensors.has(at + "decoder.weight")) tensors.expect(at + "decoder.weight", {vocab, width});
  if (tensors.has(at + "decoder.bias")) tensors.expect(at + "decoder.bias", {vocab});
}

} // namespace

model_plan plan_deberta(checkpoint& from) {
  settings& config = from.config;
  const int layers = config.whole("num_hidden_layers"), heads = config.factor("num_attention_heads"),
            width = config.factor("hidden_size"), inner = config.whole("intermediate_size"),
            vocab = config.whole("vocab_size"), buckets = config.factor("position_buckets"),
            reach = config.whole("max_position_embeddings");
  const double epsilon = config.number("layer_norm_eps", 1e-7);
  check_heads(config, "hidden_size", width, "num_attention_heads", heads);
  check_settings(config, width, heads);
  if (buckets % 2 != 0 || buckets < 4 || buckets / 2 >= reach - 1)
    config.fail("position_buckets", fmt::format("expected an even number from 4 on, the half of it below "
                                                "max_position_embeddings {} less 1; found {}",
                                                reach, buckets));
  const int window = convolution_of(config);

  tensor_list tensors(from, "deberta.");
  tensors.expect("embeddings.word_embeddings.weight", {vocab, width});
  tensors.expect_biased("embeddings.LayerNorm", {width});
  tensors.expect("encoder.rel_embeddings.weight", {2 * buckets, width});
  tensors.expect_biased("encoder.LayerNorm", {width});
  if (window > 0) {
    tensors.expect_biased("encoder.conv.conv", {width, width, window});
    tensors.expect_biased("encoder.conv.LayerNorm", {width});
  }
  for (int i = 0; i < layers; ++i) {
    const std::string at = fmt::format("encoder.layer.{}.", i);
    for (const char* square : {"attention.self.query_proj", "attention.self.key_proj",
                               "attention.self.value_proj", "attention.output.dense"})
      tensors.expect_biased(at + square, {width, width});
    tensors.expect_biased(at + "intermediate.dense", {inner, width});
    tensors.expect_biased(at + "output.dense", {width, inner});
    for (const char* norm : {"attention.output.LayerNorm", "output.LayerNorm"})
      tensors.expect_biased(at + norm, {width});
  }
  tensors.pass_over_quietly("*embeddings.position_ids");
  const head_kind head = head_kind_of(from);
  if (head == head_kind::class_scores) tensors.expect_biased("pooler.dense", {width, width});
  if (head == head_kind::token_scores) expect_token_scores(tensors, vocab, width);
  for (const char* other : {"pooler.*", "lm_predictions.*", "cls.*", "mask_predictions.*"})
    tensors.pass_over(other);

  return plan_catalogue_encoder(from, tensors,
                                {"deberta", "deberta_names", "bert_words(tokens, sizes.block())",
                                 "models::bert_token_scores(x, words, sizes.block())",
                                 "models::deberta_class_scores(x, classes, sizes)",
                                 "linear(x, \"classifier\", classes)",
                                 "deberta_block, disentangled_attention, distances_of"},
                                {{"layers", std::to_string(layers)},
                                 {"heads", std::to_string(heads)},
                                 {"width", std::to_string(width)},
                                 {"inner", std::to_string(inner)},
                                 {"vocab", std::to_string(vocab)},
                                 {"buckets", std::to_string(buckets)},
                                 {"reach", std::to_string(reach)},
                                 {"epsilon", number_text(epsilon, from)},
                                 {"convolution", std::to_string(window)}},
                                width, reach);
}

} // namespace tool
