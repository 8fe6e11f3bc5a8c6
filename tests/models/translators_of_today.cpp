// BART and Marian.

#include <fovea/models/marian.hpp>

#include "decoder_case.hpp"

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

/// Both stacks, block after block, with what each gives.
template <class Embed>
constexpr void show(graph& g, int layers, const transformer_block_config& block, int vocab, Embed embed) {
  const expr source = g.input<i32>("source_ids", {B, S}), lengths = g.input<i32>("source_lengths", {B}),
             target = g.input<i32>("decoder_ids", {B, T});
  constexpr const char *of_encoder[] = {"encoder_hidden_states.0", "encoder_hidden_states.1",
                                        "encoder_hidden_states.2"},
                       *of_decoder[] = {"decoder_hidden_states.0", "decoder_hidden_states.1",
                                        "decoder_hidden_states.2"};
  const expr words = bart_words(source, vocab, block.width);
  expr memory, x;
  {
    const scope inside(source, "encoder");
    memory = embed(words, source);
    for (int i = 0; i < layers; ++i) {
      g.output(of_encoder[i], memory);
      const scope layer(memory, "layers", i);
      memory = encoder_block(memory, padding(lengths), block);
    }
    g.output(of_encoder[layers], memory);
  }
  {
    const scope inside(target, "decoder");
    x = embed(words, target);
    for (int i = 0; i < layers; ++i) {
      g.output(of_decoder[i], x);
      const scope layer(x, "layers", i);
      x = decoder_block(x, memory, padding(lengths), block);
    }
    g.output(of_decoder[layers], x);
  }
  g.output("logits", bart_scores(x, words));
}
constexpr auto shown_bart = model(
    "shown_bart",
    [](graph& g) {
      show(g, tiny_bart.layers, tiny_bart.block, tiny_bart.vocab,
           [](expr words, expr tokens) { return bart_embeddings(words, tokens, tiny_bart); });
    },
    bart_names);
constexpr auto shown_marian = model(
    "shown_marian",
    [](graph& g) {
      show(g, tiny_marian.layers, tiny_marian.block, tiny_marian.vocab,
           [](expr words, expr tokens) { return marian_embeddings(words, tokens, tiny_marian); });
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

/// Also the text that the most likely tokens make of the first source.
template <class Shown, class Whole, class Loss>
void check_translator(const golden_case& c, const Shown& shown, const Whole& whole, const Loss& loss) {
  named_values inputs = inputs_of(c, {{"source_ids", "ids"}, {"targets", "labels"}});
  inputs["source_lengths"] = lengths_of_mask(c);
  check_outputs(shown, c, weights_of(c), inputs);
  check_loss(loss, c, inputs);
  check_stream<T>(whole, inputs, weights_of(c));

  const auto ids = integers<2>(c, "ids");
  const auto length = static_cast<std::size_t>(inputs.at("source_lengths").values[0]);
  const xt::xtensor<std::int64_t, 2> source =
      xt::view(ids, xt::range(0, 1), xt::range(std::size_t{0}, length));
  const xt::xtensor<std::int64_t, 1> lengths{static_cast<std::int64_t>(length)};
  on_both_backends([&](auto backend) {
    auto net = compile<decltype(backend)>(whole, weights_of(c), {.capacity = {{B, 1}, {S, 10}, {T, 11}}});
    check_greedy(c, [&](const auto& written) {
      return net("source_ids"_in = source, "source_lengths"_in = lengths,
                 "decoder_ids"_in = written)["logits"_out];
    });
  });
}

} // namespace

TEST_CASE("BART agrees with transformers' BartForConditionalGeneration", "[bart]") {
  check_translator(case_of_today("bart"), shown_bart, bart<tiny_bart>, bart_loss<tiny_bart>);
}

TEST_CASE("Marian agrees with transformers' MarianMTModel", "[marian]") {
  check_translator(case_of_today("marian"), shown_marian, marian<tiny_marian>, learned_marian);
}
