// BART and Marian.

#include <fovea/models/marian.hpp>

#include "translator_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using namespace fovea::models;

namespace {

inline constexpr dim B{"B"}, S{"S"}, T{"T"};

constexpr bart_config tiny_bart{
    .layers = 2,
    .block = {.heads = 4, .width = 32, .inner = 48, .activation = activation::gelu},
    .vocab = 96,
    .context = 40};
constexpr marian_config tiny_marian{
    .layers = 2,
    .block = {.heads = 4, .width = 32, .inner = 48, .activation = activation::silu},
    .vocab = 96};

// As transformers counts the published models, with the numbers that it keeps beside them: a bias for each score; of
// Marian less the two tables of 512 positions.
static_assert(bart<bart_base>.parameters() == 139'420'416 + 50'265);
static_assert(marian<opus_mt_en_de>.parameters() == 74'410'496 + 58'101 - 2 * 512 * 512);

static_assert(marian_loss<tiny_marian>.parameters() == marian<tiny_marian>.parameters());

constexpr auto shown_bart = model(
    "shown_bart",
    [](graph& g) {
      show_translator(
          g, bart_stacks(tiny_bart.layers, tiny_bart.block, tiny_bart.vocab),
          [](expr words, expr tokens) { return bart_embeddings(words, tokens, tiny_bart); },
          [](expr x, expr words) { return bart_scores(x, words); });
    },
    bart_names);
constexpr auto shown_marian = model(
    "shown_marian",
    [](graph& g) {
      show_translator(
          g, bart_stacks(tiny_marian.layers, tiny_marian.block, tiny_marian.vocab),
          [](expr words, expr tokens) { return marian_embeddings(words, tokens, tiny_marian); },
          [](expr x, expr words) { return bart_scores(x, words); });
    },
    marian_names);

/// As transformers trains it: what is looked up of token 95, which fills texts up and begins them, has no gradient.
constexpr auto learned_marian = model(
    "learned_marian",
    [](graph& g) {
      const expr source = g.input<i32>("source_ids", {B, S}), lengths = g.input<i32>("source_lengths", {B}),
                 target = g.input<i32>("decoder_ids", {B, T}),
                 words = bart_words(source, tiny_marian.vocab, tiny_marian.block.width);
      const expr looked_up =
          concat(axis(0), slice(words, axis(0), 0, 95), stop_gradient(slice(words, axis(0), 95, 96)));
      const expr memory = marian_encoder(looked_up, source, lengths, tiny_marian);
      const expr logits = bart_scores(marian_decoder(looked_up, target, memory, lengths, tiny_marian), words);
      g.output("loss", cross_entropy(logits, g.input<i32>("targets", {B, T})));
    },
    marian_names);

} // namespace

TEST_CASE("BART agrees with transformers' BartForConditionalGeneration", "[bart]") {
  check_translator(case_of_today("bart"), shown_bart, bart<tiny_bart>, bart_loss<tiny_bart>);
}

TEST_CASE("Marian agrees with transformers' MarianMTModel", "[marian]") {
  check_translator(case_of_today("marian"), shown_marian, marian<tiny_marian>, learned_marian);
}
