#include "window_writer.hpp"

#include "compression.hpp"
#include "trimmed.hpp"

#include <fovea/runtime/decoding/beam_search.hpp>
#include <fovea/runtime/decoding/filtered_scores.hpp>
#include <fovea/runtime/decoding/generate.hpp>
#include <fovea/runtime/decoding/whisper_rules.hpp>

#include <algorithm>
#include <cmath>

namespace fovea::programs {

window_writer::heard_language window_writer::language_of(const std::vector<float>& features) {
  network_.hear(features);
  network_.begin(1);
  const token_scores scores = network_.step(std::span(&tokens_.start, 1));
  std::vector<float> of_languages;
  for (const spoken_language& one : tokens_.languages)
    of_languages.push_back(scores.last(0)[static_cast<std::size_t>(one.id)]);
  const auto most = static_cast<std::size_t>(core::most_likely(of_languages));
  return {tokens_.languages[most].code,
          std::exp(static_cast<double>(of_languages[most]) - core::detail::log_sum_exp(of_languages))};
}

std::string window_writer::text_of(std::span<const token_id> ids) const {
  token_ids text;
  std::ranges::copy_if(ids, std::back_inserter(text), [&](token_id id) { return id < tokens_.end; });
  return words_.decode(text);
}

window_text window_writer::write(const std::vector<float>& features, const token_ids& prompt) {
  network_.hear(features);
  window_text text;
  for (const double temperature : how_.temperatures) {
    text = write_at(temperature, prompt);
    const bool improbable = text.log_probability < how_.least_log_probability;
    if (!improbable && text.compression <= how_.most_compression) break;
    if (improbable && text.no_speech > how_.most_no_speech) break; // nobody speaks
  }
  return text;
}

window_text window_writer::write_at(double temperature, const token_ids& prompt) {
  whisper_rules rules{.prompt = prompt.size(),
                      .suppressed = tokens_.suppressed,
                      .suppressed_first = tokens_.suppressed_first};
  if (how_.times)
    rules.times =
        whisper_times{.none = tokens_.no_times, .end = tokens_.end, .most_first = tokens_.most_first};
  else
    for (token_id id = tokens_.no_times; static_cast<std::size_t>(id) < vocabulary_; ++id)
      rules.suppressed.push_back(id);
  filtered_scores source(reader_, std::move(rules));
  const stopping_options where{
      .max_tokens = std::min(tokens_.context / 2, tokens_.context + 1 - prompt.size()), .end = {tokens_.end}};
  const auto mean_of = [](const hypothesis& h) {
    const std::size_t ended =
        h.ended == ended_by::token ? 0 : 1; // the end counts, whether it was written or not
    return h.log_probability / static_cast<double>(h.ids.size() + ended);
  };
  hypothesis best;
  if (temperature == 0) {
    best = how_.beam == 1 ? greedy(source, prompt, where)
                          : beam_search(source, prompt, {.width = how_.beam}, where).front();
  } else {
    const sampling_options drawn{
        .temperature = temperature, .seed = how_.seed + drawn_++, .samples = how_.best_of};
    std::vector<hypothesis> all = sample(source, prompt, drawn, where);
    best = std::move(*std::ranges::max_element(all, {}, mean_of));
  }
  const double mean = mean_of(best);
  if (best.ended == ended_by::token) best.ids.pop_back();
  std::string text = trimmed(text_of(best.ids));
  const double compression = compression_of(text);
  return {std::move(best.ids), std::move(text), mean, reader_.no_speech(), compression, temperature};
}

} // namespace fovea::programs
