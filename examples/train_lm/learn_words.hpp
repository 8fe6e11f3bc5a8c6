#pragma once

#include "arguments.hpp"
#include "words.hpp"

#include <program/text.hpp>
#include <training/finish.hpp>
#include <training/fit.hpp>
#include <training/group.hpp>

#include <fovea/fovea.hpp>
#include <fovea/runtime/training/initialise.hpp>
#include <fovea/runtime/training/window_batches.hpp>

#include <fmt/format.h>

#include <cmath>
#include <optional>

namespace train_lm {

inline constexpr std::int64_t window_length = 35;

/// This rank's rows.
inline fovea::token_batch share_of(const fovea::token_batch& batch, const fovea::rank_group& group) {
  return {training::share_of(batch.tokens, group), training::share_of(batch.targets, group)};
}

/// The mean loss of a word of a text that is read from its beginning on, in rows side by side of which each rank
/// has its share.
template <class trainer, class F>
double loss_of(trainer& fit, const fovea::window_batches& text, const fovea::rank_group& group, F inputs) {
  using namespace fovea::literals;
  fit.begin_evaluation();
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < text.side_by_side_count(); ++i) {
    const fovea::token_batch batch = share_of(text.side_by_side(i), group);
    const auto words = static_cast<double>(batch.tokens.size());
    sum += words * inputs(batch, [&](const auto&... given) {
             return static_cast<double>(fit.evaluate(given...)["loss"_out]());
           });
    count += words;
  }
  return training::mean_of(sum, count, group);
}

struct learned_words {
  training::outcome result;
  training::facts figures = {};
};

/// Learns a model of words, beginning with some weights, from texts that stand side by side and are read on
/// from window to window: inputs(batch, f) calls f with what the model reads of a batch and its targets.
template <class M, class F>
learned_words learn_words(const M& model, const fovea::model_weights& first, const arguments& a,
                          const training::run& what, const word_texts& texts, F inputs) {
  using namespace fovea;
  const window_options windows{.rows = static_cast<std::size_t>(a.how.batch),
                               .length = window_length,
                               .vocabulary = texts.numbers.different().size(),
                               .seed = a.how.seed};
  const window_batches batches(texts.learned, windows), held_out(texts.held_out, windows);
  std::optional<window_batches> test;
  if (!a.test.empty()) test.emplace(texts.test, windows);
  if (what.writes())
    program::print(fmt::format("{}: {} words to learn from, {} held out, {} different\n{} parameters\n",
                               a.text.string(), texts.learned.size(), texts.held_out.size(),
                               texts.numbers.different().size(), M::parameters()));
  const std::int64_t share = training::share_of(a.how.batch, what.group);
  const train_options options{.capacity = {{"B", share}, {"T", window_length}},
                              .threads = a.how.threads,
                              .schedule =
                                  cosine_schedule({.total = a.how.steps, .warmup = 100, .floor = 0.05}),
                              .clip = 5,
                              .seed = a.how.seed,
                              .group = what.group};
  learned_words made;
  {
    auto fit = training::fit(a.how, model, adam{.rate = a.how.rate}, first, options);
    made.result = training::learn(
        fit, what,
        [&](std::uint64_t i) {
          const std::size_t window = i % batches.side_by_side_count();
          if (window == 0) fit.begin();
          return inputs(share_of(batches.side_by_side(window), what.group),
                        [&](const auto&... given) { return fit.step(given...); });
        },
        [&] { return loss_of(fit, held_out, what.group, inputs); });
  }
  const auto add = [&](const char* name, double loss) {
    made.figures.emplace_back(name, fmt::format("{:.1f}", std::exp(loss)));
  };
  add("perplexity, the best", made.result.best_validation);
  if (!test) return made;
  auto best = training::fit(a.how, model, adam{}, load_weights(a.how.best(), {.copy = true}), options);
  add("test perplexity", loss_of(best, *test, what.group, inputs));
  return made;
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
          .tokens = static_cast<std::size_t>(a.how.batch) * window_length,
          .group = training::group(),
          .data = a.files()};
}

} // namespace train_lm
