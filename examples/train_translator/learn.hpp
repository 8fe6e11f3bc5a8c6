#pragma once

#include "arguments.hpp"
#include "parallel_lines.hpp"

#include <program/text.hpp>
#include <training/fit.hpp>
#include <training/group.hpp>
#include <training/recorder.hpp>
#include <translate/sizes.hpp>

#include <fovea/fovea.hpp>
#include <fovea/runtime/tokenizers/save_tokenizer.hpp>
#include <fovea/runtime/training/initialise.hpp>
#include <fovea/runtime/training/length_buckets.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>

namespace train_translator {

/// What is learned from, and what is held out.
struct lessons {
  parallel_lines held_out_lines;
  fovea::tokenizer source, target; // the words of both languages
  token_pairs learned, held_out;
};
/// Reads the files of the arguments. Throws fovea::error where nothing is left to learn from or to hold out.
lessons read_lessons(const arguments& a, std::size_t source_vocabulary, std::size_t target_vocabulary);

/// The rate's factors, at most 1. Noam's rise and fall by the root are scaled to that.
fovea::rate_schedule schedule_of(const arguments& a);

/// What `translate` opens besides the weights: sizes.json, source.json, target.json.
void write_folder(const arguments& a, const lessons& from);

/// Says what a run came to, with some lines that were held out as the best weights translate them, and what
/// each word looked at, maps.svg.
void finish(const arguments& a, const lessons& from, const training::run& what,
            const training::outcome& result);

/// Learns a model of the sizes `c`: inputs(source, lengths, read, written, f) calls f with these as what the
/// model reads.
template <class M, class F>
void learn(const M& model, const arguments& a, int source_vocabulary, int target_vocabulary, F inputs) {
  using namespace fovea;
  const lessons from = read_lessons(a, static_cast<std::size_t>(source_vocabulary),
                                    static_cast<std::size_t>(target_vocabulary));
  const rank_group group = training::group();
  const auto rows = static_cast<std::size_t>(a.how.batch),
             share = static_cast<std::size_t>(training::share_of(a.how.batch, group));
  length_buckets batches(from.learned.lengths(), {.rows = rows, .seed = a.how.seed}),
      held_out(from.held_out.lengths(), {.rows = share});
  std::size_t tokens = 0;
  for (const token_ids& line : from.learned.written) tokens += line.size();
  training::run what{.program = "train_translator",
                     .how = a.how,
                     .same = {{"model", a.model},
                              {"parameters", std::to_string(M::parameters())},
                              {"pairs", std::to_string(from.learned.size())},
                              {"held out", std::to_string(from.held_out.size())},
                              {"words", fmt::format("{} and {}", from.source.vocabulary_size(),
                                                    from.target.vocabulary_size())},
                              {"schedule", fmt::format("{}, {} steps up", a.schedule, a.warmup)},
                              {"clip", fmt::format("{}", a.clip)}},
                     .tokens = tokens * rows / from.learned.size(),
                     .group = group,
                     .data = {a.source, a.target}};
  what.data.insert(what.data.end(), a.held_out.begin(), a.held_out.end());
  if (what.writes())
    program::print(fmt::format("{} pairs to learn from, {} held out; {} and {} different words\n"
                               "{} batches see every pair once; {} parameters\n",
                               from.learned.size(), from.held_out.size(), from.source.vocabulary_size(),
                               from.target.vocabulary_size(), batches.count(), M::parameters()));
  const auto longest = [](std::size_t x, std::size_t y) { return static_cast<std::int64_t>(std::max(x, y)); };
  auto fit = training::fit(
      a.how, model, adam{.rate = a.how.rate}, initial_weights(model, a.how.seed),
      {.capacity = {{"B", static_cast<std::int64_t>(share)},
                    {"S", longest(from.learned.longest_source(), from.held_out.longest_source())},
                    {"T", longest(from.learned.longest_target(), from.held_out.longest_target())}},
       .threads = a.how.threads,
       .schedule = schedule_of(a),
       .clip = a.clip,
       .seed = a.how.seed,
       .group = group});
  const auto with = [&](const token_pairs& pairs, std::span<const std::size_t> which,
                        const rank_group& shared_by, auto f) {
    const auto side = [&](const std::vector<token_ids>& lines) {
      return training::share_of(padded(lines, which), shared_by);
    };
    return inputs(side(pairs.source), side(pairs.read), side(pairs.written), f);
  };
  const auto result = training::learn(
      fit, what,
      [&](std::uint64_t i) {
        return with(from.learned, training::filled(batches.batch(i), group), group,
                    [&](const auto&... given) { return fit.step(given...); });
      },
      [&] {
        if (what.writes()) write_folder(a, from); // the best weights follow
        return training::mean_over(held_out.count(), group, [&](std::size_t i) {
          const auto which = held_out.batch(i);
          training::part_of_mean made;
          for (const std::size_t pair : which)
            made.weight += static_cast<double>(from.held_out.written[pair].size());
          made.mean = with(from.held_out, which, {}, [&](const auto&... given) {
            return static_cast<double>(fit.evaluate(given...)["loss"_out]());
          });
          return made;
        });
      });
  if (what.writes()) finish(a, from, what, result);
}

} // namespace train_translator
