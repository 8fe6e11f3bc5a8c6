#include "arguments.hpp"
#include "lines.hpp"

#include <program/text.hpp>
#include <training/group.hpp>

#include <fovea/runtime/decoding/generate.hpp>
#include <fovea/runtime/ngram/reader.hpp>

#include <fmt/format.h>

#include <cmath>
#include <numeric>

namespace train_lm {

using namespace fovea;

void run_bigram(const arguments& a) {
  if (training::group().rank() > 0) return; // one counts
  constexpr std::size_t any = std::size_t{1} << 20;
  const character_lines text = read_lines(a.text, any);
  const auto end = static_cast<token_id>(text.characters.vocabulary_size());
  const ngram_config config{.order = 2, .vocabulary = end + 1, .start = 0, .end = end};
  ngram_counter counter(config);
  for (const token_ids& line : text.lines) counter.add(line);
  const ngram model(counter.counts(), maximum_likelihood{});

  double sum = 0;
  std::size_t count = 0;
  for (const token_ids& line : text.lines) {
    token_ids marked{config.start};
    marked.insert(marked.end(), line.begin(), line.end());
    marked.push_back(config.end);
    const std::vector<double> log_p = log_probabilities(model, marked);
    sum = std::accumulate(log_p.begin(), log_p.end(), sum);
    count += log_p.size();
  }
  program::print(fmt::format("{}: {} lines, {} different characters\n{:.4f} nats a character\n",
                             a.text.string(), text.lines.size(), text.characters.vocabulary_size() - 1,
                             std::abs(sum) / static_cast<double>(count)));
  if (a.samples == 0) return;
  ngram_reader reader(model);
  for (hypothesis& h : sample(reader, token_ids{config.start}, {.seed = a.how.seed, .samples = a.samples},
                              {.max_tokens = 100, .end = {config.end}})) {
    std::erase(h.ids, config.end);
    program::print("  " + text.characters.decode(h.ids) + "\n");
  }
}

} // namespace train_lm
