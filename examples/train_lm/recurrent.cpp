#include "learn_words.hpp"

#include <training/written.hpp>

#include <fovea/models/rnn.hpp>
#include <fovea/runtime/tokenizers/save_tokenizer.hpp>

#include <limits>

namespace train_lm {

using namespace fovea;

namespace {

constexpr models::rnn_config sizes_of(models::cell_kind cell) {
  return {.vocab = most_words, .width = 200, .hidden = 200, .cell = cell, .dropout = 0.3};
}

template <models::rnn_config c>
std::vector<std::string> samples_of(const model_weights& trained, const tokenizer& words,
                                    const arguments& a) {
  auto net = compile(models::rnn_language_model<c>, trained,
                     {.capacity = {{"B", 1}, {"T", window_length}}, .threads = 1});
  std::vector<float> scores;
  std::string text;
  for (std::size_t i = 0; i < a.samples; ++i) {
    const token_ids ids = training::written(
        {line_end}, window_length, 30, {.temperature = 0.8, .seed = a.how.seed + i},
        [&](std::span<const token_id> seen) {
          const xt::xtensor<int, 2> now = xt::adapt(seen.data(), seen.size(), xt::no_ownership(),
                                                    std::array{std::size_t{1}, seen.size()});
          const auto out = net("tokens"_in = now);
          const float* last = &out["logits"_out](0, seen.size() - 1, 0);
          scores.assign(last, last + words.vocabulary_size());
          // What is written are words that can be spelt, and line ends.
          scores[0] = scores[1] = scores[unknown_word] = -std::numeric_limits<float>::infinity();
          return std::span<const float>(scores);
        },
        line_end);
    text += i > 0 ? "\n" : "";
    for (std::size_t k = 1; k < ids.size(); ++k)
      if (ids[k] != line_end) text += (k > 1 ? " " : "") + std::string(words.token(ids[k]));
  }
  return {text};
}

template <models::rnn_config c>
void run(const arguments& a) {
  const word_texts texts(a);
  const tokenizer words = vocabulary_of(texts.learned_words(), c.vocab);
  const token_ids ids = ids_of(texts.numbers.different(), words);
  const auto& loss_model = models::rnn_language_model_window_loss<c>;
  const training::run what = run_of(loss_model, a);
  const auto [result, figures] = learn_words(loss_model, initial_weights(loss_model, a.how.seed), a, what,
                                             texts, [&](const token_batch& batch, auto f) {
                                               const auto known = [&](const xt::xtensor<int, 2>& numbers) {
                                                 xt::xtensor<int, 2> made = numbers;
                                                 for (int& x : made) x = ids[static_cast<std::size_t>(x)];
                                                 return made;
                                               };
                                               const auto tokens = known(batch.tokens),
                                                          targets = known(batch.targets);
                                               return f("tokens"_in = tokens, "targets"_in = targets);
                                             });
  if (!what.writes()) return;
  save_tokenizer(a.how.out / "words.json", words);
  training::finish(what, result, figures,
                   samples_of<c>(load_weights(a.how.best(), {.copy = true}), words, a));
}

} // namespace

void run_rnn(const arguments& a) { run<sizes_of(models::cell_kind::elman)>(a); }
void run_lstm(const arguments& a) { run<sizes_of(models::cell_kind::lstm)>(a); }

} // namespace train_lm
