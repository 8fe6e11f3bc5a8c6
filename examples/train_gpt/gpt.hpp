#pragma once

#include "arguments.hpp"
#include "sizes.hpp"
#include "text.hpp"

#include <training/finish.hpp>
#include <training/fit.hpp>
#include <training/group.hpp>
#include <training/written.hpp>

#include <fovea/base/error.hpp>
#include <fovea/fovea.hpp>
#include <fovea/runtime/tokenizers/save_tokenizer.hpp>
#include <fovea/runtime/training/initialise.hpp>
#include <fovea/runtime/training/train.hpp>
#include <fovea/runtime/training/window_batches.hpp>

#include <program/text.hpp>

#include <fmt/format.h>

namespace train_gpt {

/// Goes on with a text by trained weights.
template <fovea::models::gpt2_config c>
std::string written_by(const fovea::model_weights& trained, const fovea::tokenizer& words,
                       const arguments& a) {
  using namespace fovea;
  auto net =
      compile(models::gpt2<c>, trained, {.capacity = {{"B", 1}, {"T", c.context}}, .threads = a.how.threads});
  token_ids prompt = words.encode(a.prompt, {.special = false}).ids;
  if (prompt.empty()) throw error("--prompt: expected a text to begin with, found none");
  const token_ids ids =
      training::written(prompt, c.context, a.length, a.sampling, [&](std::span<const token_id> seen) {
        const xt::xtensor<int, 2> now =
            xt::adapt(seen.data(), seen.size(), xt::no_ownership(), std::array{std::size_t{1}, seen.size()});
        const auto out = net("tokens"_in = now);
        // Ids behind the last token are room that the network is compiled with.
        return std::span<const float>(&out["logits"_out](0, seen.size() - 1, 0), words.vocabulary_size());
      });
  return words.decode(ids);
}

template <fovea::models::gpt2_config c>
void learn(const arguments& a) {
  using namespace fovea;
  const text data = read_text(a.data, a.tokenizer, vocabulary);
  const auto train_size =
      static_cast<std::size_t>((1 - a.validation) * static_cast<double>(data.tokens.size()));
  const rank_group group = training::group();
  const auto rows = static_cast<std::size_t>(training::share_of(a.how.batch, group));
  const window_options windows{.rows = rows,
                               .length = c.context,
                               .vocabulary = vocabulary,
                               .seed = a.how.seed,
                               .first_row = rows * static_cast<std::size_t>(group.rank())};
  const window_batches batches(data.tokens.part(0, train_size), windows),
      held_out(data.tokens.part(train_size, data.tokens.size()), windows);
  const std::int64_t parameters = models::gpt2<c>.parameters();
  training::run what{.program = "train_gpt",
                     .how = a.how,
                     .same = {{"size", a.size},
                              {"parameters", std::to_string(parameters)},
                              {"tokens", std::to_string(data.tokens.size())},
                              {"validation", fmt::format("{}", a.validation)}},
                     .tokens = static_cast<std::size_t>(a.how.batch) * windows.length,
                     .group = group,
                     .data = {a.data}};
  if (!a.tokenizer.empty()) what.data.push_back(a.tokenizer);
  if (what.writes())
    program::print(fmt::format("{}: {} {}, {} to learn from, {} different\n{} layers, {} heads, {} wide, "
                               "context {}: {} parameters\n",
                               a.data.string(), data.tokens.size(), data.unit, train_size,
                               data.words ? data.words->vocabulary_size() : vocabulary, c.layers, c.heads,
                               c.width, c.context, parameters));

  // Decay is for matrices; what is added or scales is left alone.
  auto fit = training::fit(
      a.how, models::gpt2_loss<c>, adamw{.rate = a.how.rate, .beta2 = a.beta2, .weight_decay = a.decay},
      initial_weights(models::gpt2_loss<c>, a.how.seed),
      {.capacity = {{"B", static_cast<std::int64_t>(rows)}, {"T", c.context}},
       .threads = a.how.threads,
       .schedule = cosine_schedule(
           {.total = a.how.steps, .warmup = static_cast<std::int64_t>(a.warmup), .floor = a.floor}),
       .clip = a.clip,
       .groups = {{.names = "*.bias", .weight_decay = 0}, {.names = "*ln_*.weight", .weight_decay = 0}},
       .group = group});
  const auto result = training::learn(
      fit, what,
      [&](std::uint64_t i) {
        const token_batch batch = batches.drawn(i);
        return fit.step("tokens"_in = batch.tokens, "targets"_in = batch.targets);
      },
      [&] {
        return training::mean_over(held_out.count(), group, [&](std::size_t i) {
          const token_batch batch = held_out.following(i);
          const auto out = fit.evaluate("tokens"_in = batch.tokens, "targets"_in = batch.targets);
          return training::part_of_mean{static_cast<double>(out["loss"_out]()),
                                        static_cast<double>(batch.tokens.shape()[0])};
        });
      });
  if (!what.writes()) return;
  std::vector<std::string> samples;
  if (data.words) {
    save_tokenizer(a.how.out / "tokenizer.json", *data.words);
    if (a.length > 0)
      samples.push_back(written_by<c>(load_weights(a.how.best(), {.copy = true}), *data.words, a));
  }
  training::finish(what, result, {}, samples);
}

/// Learns, or writes by what was learned.
template <fovea::models::gpt2_config c>
void run(const arguments& a) {
  if (!a.write) return learn<c>(a);
  const auto words = fovea::load_tokenizer(a.how.out / "tokenizer.json");
  program::print(written_by<c>(fovea::load_weights(a.how.best(), {.copy = true}), words, a) + "\n");
}

void run_tiny(const arguments& a);
void run_small(const arguments& a);
void run_large(const arguments& a);

} // namespace train_gpt
