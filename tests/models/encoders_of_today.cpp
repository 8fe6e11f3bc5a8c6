// Encoders like BERT: RoBERTa, XLM-RoBERTa, DistilBERT and ELECTRA.

#include <fovea/models/distilbert.hpp>
#include <fovea/models/electra.hpp>
#include <fovea/models/roberta.hpp>

#include "decoder_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using namespace fovea::models;

namespace {

constexpr bert_config tiny{.layers = 2, .heads = 4, .width = 32, .inner = 48, .vocab = 96, .context = 32};
constexpr bert_config tiny_roberta{.layers = 2,
                                   .heads = 4,
                                   .width = 32,
                                   .inner = 48,
                                   .vocab = 96,
                                   .context = 32,
                                   .types = 1,
                                   .epsilon = 1e-5};
constexpr bert_config tiny_xlm_roberta{.layers = 2,
                                       .heads = 4,
                                       .width = 32,
                                       .inner = 48,
                                       .vocab = 90,
                                       .context = 32,
                                       .types = 1,
                                       .epsilon = 1e-5};
constexpr electra_config tiny_electra{
    .block = {.layers = 2, .heads = 4, .width = 32, .inner = 48, .vocab = 96, .context = 34},
    .word_width = 20};

// As transformers counts the published models.
static_assert(roberta_masked_language_model<roberta_base>.parameters() == 124'697'433);
static_assert(roberta_masked_language_model<xlm_roberta_base>.parameters() == 278'295'186);
static_assert(distilbert<distilbert_base>.parameters() == 66'362'880);
// Tables of words, positions and types and their norm; what brings them to the width; in each layer four matrices of
// width^2 and two of width x inner with their biases, and two norms.
static_assert(electra<electra_small>.parameters() ==
              (30522 + 512 + 2 + 2) * 128 + (128 + 1) * 256 +
                  12 * (4 * (256 * 256 + 256) + 2 * 256 * 1024 + 1024 + 256 + 4 * 256));

/// The blocks one after the other, with what each gives, from x [B, T, width].
constexpr expr shown_blocks(graph& g, expr x, expr lengths, bert_config c) {
  for (int i = 0; i < c.layers; ++i) {
    g.output(hidden_state_names[i], x);
    const scope layer(x, "layer", i);
    x = bert_block(x, padding(lengths), c);
  }
  g.output(hidden_state_names[c.layers], x);
  return x;
}

template <bert_config c>
constexpr auto shown_roberta = model(
    "shown_roberta",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"}), lengths = g.input<i32>("lengths", {"B"}),
                 words = bert_words(tokens, c);
      const expr x = shown_blocks(g, roberta_embeddings(words, tokens, lengths, c), lengths, c);
      g.output("logits", bert_token_scores(x, words, c));
    },
    roberta_names);

constexpr auto shown_distilbert = model(
    "shown_distilbert",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"}), lengths = g.input<i32>("lengths", {"B"}),
                 words = bert_words(tokens, tiny);
      const expr x = shown_blocks(g, distilbert_embeddings(words, tokens, tiny), lengths, tiny);
      g.output("logits", bert_token_scores(x, words, tiny));
    },
    distilbert_names);

constexpr auto shown_electra = model(
    "shown_electra",
    [](graph& g) {
      const auto [tokens, types, lengths] = models::detail::inputs_of_bert(g);
      const expr x =
          shown_blocks(g, electra_embeddings(tokens, types, tiny_electra), lengths, tiny_electra.block);
      g.output("logits", electra_scores(x, tiny_electra));
    },
    electra_names);

/// The inputs of a case as the models call them.
named_values texts_of(const golden_case& c) {
  named_values made = inputs_of(c, {{"tokens", "ids"}, {"targets", "labels"}});
  if (c.has("input.token_type_ids")) made["types"] = c.at("input.token_type_ids");
  made["lengths"] = lengths_of_mask(c);
  return made;
}

template <class Shown, class Loss>
void check_encoder(const char* name, const Shown& shown, const Loss& loss) {
  const golden_case c = case_of_today(name);
  check_outputs(shown, c, weights_of(c), texts_of(c));
  check_loss(loss, c, texts_of(c));
}

} // namespace

TEST_CASE("RoBERTa agrees with transformers' RobertaForMaskedLM", "[roberta]") {
  check_encoder("roberta", shown_roberta<tiny_roberta>, roberta_masked_language_model_loss<tiny_roberta>);
}

TEST_CASE("XLM-RoBERTa agrees with transformers' XLMRobertaForMaskedLM", "[roberta]") {
  check_encoder("xlm_roberta", shown_roberta<tiny_xlm_roberta>,
                roberta_masked_language_model_loss<tiny_xlm_roberta>);
}

TEST_CASE("DistilBERT agrees with transformers' DistilBertForMaskedLM", "[distilbert]") {
  check_encoder("distilbert", shown_distilbert, distilbert_masked_language_model_loss<tiny>);
}

TEST_CASE("ELECTRA agrees with transformers' ElectraForPreTraining", "[electra]") {
  check_encoder("electra", shown_electra, electra_discriminator_loss<tiny_electra>);
}

TEST_CASE("encoders without their heads pass over them", "[roberta][distilbert][electra]") {
  const golden_case roberta_case = case_of_today("roberta"), distilbert_case = case_of_today("distilbert"),
                    electra_case = case_of_today("electra");
  const auto hidden = [](const auto& declared, const golden_case& c) {
    const named_values found = run_model<f32>(declared, weights_of(c), texts_of(c));
    const golden_tensor& values = found.at("hidden");
    check(c, "output.hidden_states.2", std::span<const double>(values.values), values.shape);
  };
  hidden(roberta<tiny_roberta>, roberta_case);
  hidden(distilbert<tiny>, distilbert_case);
  hidden(electra<tiny_electra>, electra_case);
}
