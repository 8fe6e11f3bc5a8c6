#pragma once

// Models of eight words, one for each kind of program.

#include <fovea/dsl.hpp>

namespace tiny {

using namespace fovea;

constexpr expr words(graph& g) { return embedding(g.input<i32>("tokens", {"B", "T"}), "words", 8, 4); }

// [B, T] -> [B, 4]; the mean of a text's own words, which have looked at each other twice.
inline constexpr auto embed = model("tiny_embedder", [](graph& g) {
  expr x = words(g);
  const expr lengths = g.input<i32>("lengths", {"B"});
  x = repeat("layer", 2, x,
             [&](expr y) { return y + attention(y, y, y, {.heads = 2, .mask = padding(lengths)}); });
  const expr inside = to_float(range(x, x.size(1)) < unsqueeze(lengths, 1));
  g.output("sentence", sum(x * unsqueeze(inside, 2), axis(1)) / unsqueeze(to_float(lengths), 1));
});

// Is told no lengths, and so must not be given texts of several lengths at once.
inline constexpr auto classify =
    model("tiny_classifier", [](graph& g) { g.output("logits", linear(mean(words(g), axis(1)), "out", 2)); });

inline constexpr auto tag = model("tiny_tagger", [](graph& g) {
  const expr types = g.input<i32>("types", {"B", "T"});
  g.input<i32>("lengths", {"B"});
  g.output("logits", linear(words(g) + embedding(types, "types", 2, 4), "out", 2));
});

constexpr void language_model(graph& g, expr x) {
  g.output("logits", linear(gru(x, "rnn", 6).output, "out", 8));
}
inline constexpr auto generate = model("tiny_writer", [](graph& g) { language_model(g, words(g)); });

// Keeps all that it has read.
inline constexpr auto lookup = model("tiny_reader", [](graph& g) {
  const expr x = words(g);
  g.output("logits", linear(x + attention(rope(x, {.heads = 1}), rope(x, {.heads = 1}), x, {.mask = causal}),
                            "out", 8));
});

// Has vectors of 64 positions, and so takes no longer text.
inline constexpr auto score = model("tiny_scorer", [](graph& g) {
  const expr x = words(g);
  language_model(g, x + learned_positions(x, "positions", {.context = 64, .width = 4}));
});

// [B, S] and [B, T] -> [B, T, 8].
inline constexpr auto translate = model("tiny_translator", [](graph& g) {
  const expr source = g.input<i32>("source", {"B", "S"}), lengths = g.input<i32>("lengths", {"B"}),
             target = g.input<i32>("target", {"B", "T"});
  const expr memory = embedding(source, "source_words", 8, 4), x = embedding(target, "words", 8, 4);
  const expr h = gru(x, "rnn", 4).output;
  g.output("logits", linear(attention(h, memory, memory, {.mask = padding(lengths)}), "out", 8));
});

// [B, T, 2] -> [B, T, 3], two positions later.
inline constexpr auto stream = model("tiny_filter", [](graph& g) {
  const expr x = g.input<f32>("x", {"B", "T", 2});
  g.output("y", conv1d(x, "conv", 3, 5, {.padding = same}));
});

} // namespace tiny
