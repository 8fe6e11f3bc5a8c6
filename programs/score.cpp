#include <fovea/programs/score.hpp>

#include <fovea/base/error.hpp>
#include <fovea/programs/answer_texts.hpp>
#include <fovea/runtime/decoding/log_probability.hpp>

#include <program/program.hpp>

#include <fmt/format.h>
#include <memory>
#include <numeric>
#include <vector>

namespace fovea::programs {
namespace {

text_answer answer_of(const input_text& text, const std::vector<double>& log_p, bool json) {
  const double sum = std::accumulate(log_p.begin(), log_p.end(), 0.0), of_a_token = perplexity(log_p);
  if (!json) return {.printed = fmt::format("{:.4f}  {:.3f}  {}\n", sum, of_a_token, text.text)};
  return {.members = {{"log_probability", sum}, {"perplexity", of_a_token}, {"tokens", log_p.size()}}};
}

void run(const options& o, next_token_network_maker maker, const program_parts& parts) {
  const std::unique_ptr<next_token_network> network = made_for_context(o, [&] {
    return maker(weights_of(o, parts), {.capacity = {{"B", 1}, {"T", o.context}}, .threads = o.threads});
  });
  const tokenizer words = tokenizer_of(o, parts, network->vocabulary());
  answer_texts(o, parts, 1, [&](const std::vector<input_text>& texts) -> std::vector<text_answer> {
    const input_text& text = texts.front();
    const token_ids ids = words.encode(text.text).ids;
    if (ids.size() < 2 || ids.size() > static_cast<std::size_t>(o.context))
      throw error(
          fmt::format("{}: the text has {} tokens; expected 2 to {}", text.place, ids.size(), o.context));
    return {answer_of(text, log_probabilities(*network, ids), o.json)};
  });
}

} // namespace

int score(next_token_network_maker network, const program_parts& parts, int count, char** words) {
  return program::run<options>(
      parts.name.c_str(),
      "Prints for each text the logarithm of its probability after the first token, and the perplexity of a "
      "token.",
      count, words,
      [&](CLI::App& app, options& o) {
        declare(app, o, parts);
        declare_files(app, o);
      },
      [&](const options& o) { run(o, network, parts); });
}

} // namespace fovea::programs
