#pragma once

#include "arguments.hpp"
#include "words.hpp"

#include <program/text.hpp>
#include <training/finish.hpp>

#include <fovea/fovea.hpp>
#include <fovea/runtime/training/initialise.hpp>
#include <fovea/runtime/training/window_batches.hpp>

#include <fmt/format.h>

#include <cmath>

namespace train_lm {

inline constexpr std::int64_t window_length = 35;

/// A text to learn from and one to look at, as numbers of different words.
struct word_texts {
  word_numbers numbers = {};
  fovea::token_text learned, held_out;

  explicit word_texts(const arguments& a) : learned(fovea::token_ids{}), held_out(fovea::token_ids{}) {
    learned = numbers.read(a.text);
    if (!a.held_out.empty()) {
      held_out = numbers.read(a.held_out);
      return;
    }
    const auto kept = static_cast<std::size_t>((1 - a.validation) * static_cast<double>(learned.size()));
    held_out = learned.part(kept, learned.size());
    learned = learned.part(0, kept);
  }
};

/// Learns a model of words, beginning with some weights: inputs(batch, f) calls f with what the model reads
/// of a batch and its targets.
template <class M, class F>
training::outcome learn_words(const M& model, const fovea::weights& first, const arguments& a,
                              const training::run& what, const word_texts& texts, F inputs) {
  using namespace fovea;
  const window_options windows{.rows = static_cast<std::size_t>(a.how.batch),
                               .length = window_length,
                               .vocabulary = texts.numbers.different().size(),
                               .seed = a.how.seed};
  const window_batches batches(texts.learned, windows), held_out(texts.held_out, windows);
  program::print(fmt::format("{}: {} words to learn from, {} held out, {} different\n{} parameters\n",
                             a.text.string(), texts.learned.size(), texts.held_out.size(),
                             texts.numbers.different().size(), M::parameters()));
  auto fit = train(model, adam{.rate = a.how.rate}, first,
                   {.capacity = {{"B", a.how.batch}, {"T", window_length}},
                    .threads = a.how.threads,
                    .schedule = cosine_schedule({.total = a.how.steps, .warmup = 100, .floor = 0.05}),
                    .clip = 5,
                    .seed = a.how.seed});
  return training::learn(
      fit, what,
      [&](std::uint64_t i) {
        return inputs(batches.drawn(i), [&](const auto&... given) { return fit.step(given...); });
      },
      [&] {
        double sum = 0, rows = 0;
        for (std::size_t i = 0; i < held_out.count(); ++i) {
          const token_batch batch = held_out.following(i);
          const auto count = static_cast<double>(batch.tokens.shape()[0]);
          sum += count * inputs(batch, [&](const auto&... given) {
                   return static_cast<double>(fit.evaluate(given...)["loss"_out]());
                 });
          rows += count;
        }
        return sum / rows;
      });
}

inline training::facts figures_of(const training::outcome& result) {
  return {{"perplexity, the best", fmt::format("{:.1f}", std::exp(result.best_validation))}};
}

template <class M>
training::run run_of(const M&, const arguments& a) {
  return {.program = "train_lm",
          .how = a.how,
          .same = {{"model", a.model},
                   {"parameters", std::to_string(M::parameters())},
                   {"text", a.text.filename().string()},
                   {"held out",
                    a.held_out.empty() ? fmt::format("{}", a.validation) : a.held_out.filename().string()}},
          .tokens = static_cast<std::size_t>(a.how.batch) * window_length};
}

} // namespace train_lm
