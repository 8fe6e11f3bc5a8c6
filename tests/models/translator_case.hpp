#pragma once

// Translators against the cases of golden/today: what each layer of both stacks gives, the scores, the text that the
// most likely tokens make of the first source, the loss with its gradients, and streams.

#include <fovea/models/bart.hpp>

#include "decoder_case.hpp"

#include <span>

namespace fovea::core::test {

inline constexpr const char *encoder_state_names[] = {"encoder_hidden_states.0", "encoder_hidden_states.1",
                                                      "encoder_hidden_states.2"},
                            *decoder_state_names[] = {"decoder_hidden_states.0", "decoder_hidden_states.1",
                                                      "decoder_hidden_states.2"};

/// Blocks one after another, "layers", with what each reads; `end` makes of the last what is shown of it.
template <class Block, class End>
constexpr expr show_layers(graph& g, std::span<const char* const> names, expr x, Block block, End end) {
  const std::size_t layers = names.size() - 1;
  for (std::size_t i = 0; i < layers; ++i) {
    g.output(names[i], x);
    const scope layer(x, "layers", static_cast<int>(i));
    x = block(x);
  }
  x = end(x);
  g.output(names[layers], x);
  return x;
}

/// Both stacks, block after block, with what each gives.
template <class Embed, class Score>
constexpr void show_translator(graph& g, const models::transformer_config& stacks, Embed embed, Score score) {
  const expr source = g.input<i32>("source_ids", {"B", "S"}), lengths = g.input<i32>("source_lengths", {"B"}),
             target = g.input<i32>("decoder_ids", {"B", "T"});
  const models::transformer_block_config& block = stacks.block;
  const auto ended = [&](expr x) {
    return stacks.final_norm ? layer_norm(x, "norm", {.epsilon = block.epsilon}) : x;
  };
  const expr words = models::bart_words(source, stacks.source_vocab, block.width);
  expr memory, x;
  {
    const scope inside(source, "encoder");
    memory = show_layers(
        g, encoder_state_names, embed(words, source),
        [&](expr y) { return models::encoder_block(y, padding(lengths), block); }, ended);
  }
  {
    const scope inside(target, "decoder");
    x = show_layers(
        g, decoder_state_names, embed(words, target),
        [&](expr y) { return models::decoder_block(y, memory, padding(lengths), block); }, ended);
  }
  g.output("logits", score(x, words));
}

/// `shown` is what show_translator shows, `whole` gives the logits, `loss` the loss.
template <class Shown, class Whole, class Loss>
void check_translator(const golden_case& c, const Shown& shown, const Whole& whole, const Loss& loss) {
  named_values inputs = inputs_of(c, {{"source_ids", "ids"}, {"targets", "labels"}});
  inputs["source_lengths"] = lengths_of_mask(c);
  check_outputs(shown, c, weights_of(c), inputs);
  check_loss(loss, c, inputs);
  check_stream<dim{"T"}>(whole, inputs, weights_of(c));

  const auto ids = integers<2>(c, "ids");
  const auto length = static_cast<std::size_t>(inputs.at("source_lengths").values[0]);
  const xt::xtensor<std::int64_t, 2> source =
      xt::view(ids, xt::range(0, 1), xt::range(std::size_t{0}, length));
  const xt::xtensor<std::int64_t, 1> lengths{static_cast<std::int64_t>(length)};
  on_both_backends([&](auto backend) {
    auto net = compile<decltype(backend)>(whole, weights_of(c),
                                          {.capacity = {{dim{"B"}, 1}, {dim{"S"}, 10}, {dim{"T"}, 11}}});
    check_greedy(c, [&](const auto& written) {
      return net("source_ids"_in = source, "source_lengths"_in = lengths,
                 "decoder_ids"_in = written)["logits"_out];
    });
  });
}

} // namespace fovea::core::test
