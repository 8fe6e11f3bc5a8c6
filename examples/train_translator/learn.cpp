#include "learn.hpp"

#include <picture/attention_map.hpp>
#include <training/finish.hpp>
#include <translate/translator.hpp>

#include <fovea/weights/temporary_file.hpp>

#include <cmath>

namespace train_translator {

using namespace fovea;
using namespace fovea::core;

lessons read_lessons(const arguments& a, std::size_t source_vocabulary, std::size_t target_vocabulary) {
  parallel_lines learned = read_parallel_lines(a.source, a.target), held_out;
  if (a.held_out.empty()) {
    const auto kept = static_cast<std::size_t>((1 - a.validation) * static_cast<double>(learned.size()));
    held_out = learned.part(kept, learned.size());
    learned = learned.part(0, kept);
  } else {
    held_out = read_parallel_lines(a.held_out[0], a.held_out[1]);
  }
  const tokenizer source = vocabulary_of(learned.source, source_vocabulary, a.source),
                  target = vocabulary_of(learned.target, target_vocabulary, a.target);
  lessons made{std::move(held_out), source, target, pairs_of(learned, source, target, a.longest), {}};
  made.held_out = pairs_of(made.held_out_lines, source, target, a.longest);
  const auto need = [&](const token_pairs& pairs, const char* what) {
    if (pairs.size() == 0)
      throw error(fmt::format("{}: expected pairs {}, both of at least one word and at most {}; found none",
                              a.source.string(), what, a.longest));
  };
  need(made.learned, "to learn from");
  need(made.held_out, "to hold out");
  return made;
}

rate_schedule schedule_of(const arguments& a) {
  if (a.schedule == "constant") return {};
  if (a.schedule == "cosine")
    return cosine_schedule({.total = a.how.steps, .warmup = a.warmup, .floor = 0.05});
  const rate_schedule noam = noam_schedule({.width = 1, .warmup = a.warmup});
  return [noam, peak = noam(a.warmup)](std::int64_t step) { return noam(step) / peak; };
}

void write_folder(const arguments& a, const lessons& from) {
  save_tokenizer(a.how.out / "source.json", from.source);
  save_tokenizer(a.how.out / "target.json", from.target);
  const std::string sizes = translate_program::sizes_of(a.model).dump() + "\n";
  temporary_file file(a.how.out / "sizes.json");
  file.write(std::as_bytes(std::span(sizes)));
  file.commit();
}

void finish(const arguments& a, const lessons& from, const training::run& what,
            const training::outcome& result) {
  translate_program::translator translator(a.how.out);
  std::vector<picture::attention_map> maps;
  std::vector<std::string> samples;
  for (std::size_t i = 0; i < from.held_out_lines.size() && samples.size() < a.samples; ++i) {
    const std::string& line = from.held_out_lines.source[i];
    const std::size_t words = from.source.encode(line).ids.size();
    if (words == 0 || words > translate_program::translator::longest) continue;
    const auto best = translator.translate(line, {.width = 4});
    samples.push_back(line + "\n" + best.front().text + "\n(" + from.held_out_lines.target[i] + ")");
    maps.push_back(translator.alignment(line, best.front()));
  }
  std::vector<std::filesystem::path> pictures;
  if (!maps.empty()) {
    pictures.push_back(a.how.out / "maps.svg");
    picture::save(maps, pictures.front());
  }
  const std::string perplexity = fmt::format("{:.2f}", std::exp(result.best_validation));
  training::finish(what, result, {{"perplexity of a word, the best", perplexity}}, samples, pictures);
}

} // namespace train_translator
