#include "arguments.hpp"
#include "words.hpp"

#include <program/text.hpp>
#include <training/group.hpp>

#include <fovea/base/error.hpp>
#include <fovea/runtime/decoding/generate.hpp>
#include <fovea/runtime/decoding/log_probability.hpp>
#include <fovea/runtime/ngram/reader.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace train_lm {

using namespace fovea;

void run_ngram(const arguments& a) {
  if (training::group().rank() > 0) return; // one counts
  const word_texts texts(a);
  const token_text& test = a.test.empty() ? texts.held_out : texts.test;
  const std::vector<std::string>& different = texts.numbers.different();
  const tokenizer words = vocabulary_of(texts.learned_words(), most_words);
  const token_ids ids = ids_of(different, words);
  // Lines as the other models read them, without the end.
  const auto lines_of = [&](const token_text& text) {
    std::vector<token_ids> lines(1);
    std::vector<std::int32_t> all(text.size());
    text.copy(0, all, different.size());
    for (const std::int32_t word : all) {
      const token_id id = ids[static_cast<std::size_t>(word)];
      if (id == line_end)
        lines.emplace_back();
      else
        lines.back().push_back(id);
    }
    if (lines.back().empty()) lines.pop_back(); // else the text was cut within a line
    return lines;
  };
  const ngram_config config{.order = 3,
                            .vocabulary = static_cast<token_id>(words.vocabulary_size()),
                            .start = line_start,
                            .end = line_end};
  ngram_counter counter(config);
  for (const token_ids& line : lines_of(texts.learned)) counter.add(line);
  const ngram model(counter.counts(), kneser_ney{});
  std::vector<double> log_p;
  std::ptrdiff_t unknown = 0;
  for (const token_ids& line : lines_of(test)) {
    token_ids marked{line_start};
    marked.insert(marked.end(), line.begin(), line.end());
    marked.push_back(line_end);
    unknown += std::ranges::count(line, unknown_word);
    std::ranges::copy(log_probabilities(model, marked), std::back_inserter(log_p));
  }
  std::int64_t grams = 0;
  for (int n = 1; n <= config.order; ++n) grams += static_cast<std::int64_t>(model.counts().distinct(n));
  program::print(fmt::format("{}: {} words to learn from, {} of the vocabulary, {} different grams\n{}: {} "
                             "words, line ends counted, "
                             "{:.1f} % of them unknown\ntest perplexity {:.1f}\n",
                             a.text.string(), texts.learned.size(), words.vocabulary_size(), grams,
                             a.test.empty() ? "held out" : a.test.string(), log_p.size(),
                             100.0 * static_cast<double>(unknown) / static_cast<double>(log_p.size()),
                             perplexity(log_p)));
  if (a.samples == 0) return;
  ngram_reader reader(model);
  for (const hypothesis& h : sample(reader, token_ids{line_start}, {.seed = a.how.seed, .samples = a.samples},
                                    {.max_tokens = 30, .end = {line_end}})) {
    std::string text = " ";
    for (const token_id id : h.ids)
      if (id != line_end) text += " " + std::string(words.token(id));
    program::print(text + "\n");
  }
}

} // namespace train_lm
