#pragma once

#include "arguments.hpp"
#include "folds.hpp"
#include "labelled_texts.hpp"
#include "split.hpp"

#include <classify/networks.hpp>

#include <program/text.hpp>
#include <trained/folder.hpp>
#include <training/finish.hpp>
#include <training/fit.hpp>
#include <training/group.hpp>

#include <fovea/runtime/tokenizers/save_tokenizer.hpp>
#include <fovea/runtime/tokenizers/tokenizer_trainer.hpp>
#include <fovea/runtime/training/initialise.hpp>

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <utility>

namespace train_classifier {

/// Texts as a network reads them.
template <class network>
class dataset {
public:
  dataset(const labelled_texts& from, const fovea::tokenizer& words) : from_(from) {
    for (const std::string& text : from.texts) {
      lines_.push_back(classify_program::read_by<network>(words.encode(text).ids));
      longest_ = std::max(longest_, lines_.back().size());
    }
  }

  std::size_t longest() const { return longest_; }
  std::vector<std::size_t> lengths(const std::vector<std::size_t>& which) const {
    std::vector<std::size_t> made;
    for (const std::size_t i : which) made.push_back(lines_[i].size());
    return made;
  }
  /// f(inputs...), or with the targets behind them, of a rank's share.
  template <class F>
  decltype(auto) inputs(std::span<const std::size_t> which, F f) const {
    return network::inputs(fovea::core::padded(lines_, which), f);
  }
  template <class F>
  decltype(auto) inputs_and_targets(std::span<const std::size_t> which, const fovea::rank_group& group,
                                    F f) const {
    using namespace fovea;
    auto all = xt::xtensor<int, 1>::from_shape({which.size()});
    for (std::size_t row = 0; row < which.size(); ++row) all(row) = from_.label_of[which[row]];
    const auto targets = training::share_of(all, group);
    return network::inputs(training::share_of(fovea::core::padded(lines_, which), group),
                           [&](const auto&... given) { return f(given..., "targets"_in = targets); });
  }
  /// Every batch of some texts, those of like length together.
  std::vector<std::vector<std::size_t>> in_batches(std::vector<std::size_t> which, std::size_t rows) const {
    std::ranges::sort(which, {}, [&](std::size_t i) { return std::pair(lines_[i].size(), i); });
    std::vector<std::vector<std::size_t>> made;
    for (std::size_t first = 0; first < which.size(); first += rows) {
      const auto batch = std::span(which).subspan(first, std::min(rows, which.size() - first));
      made.emplace_back(batch.begin(), batch.end());
    }
    return made;
  }

  marks marked(const fovea::model_weights& by, const std::vector<std::size_t>& which, std::size_t rows,
               int threads) const {
    using namespace fovea;
    auto net = compile(
        network::model, by,
        {.capacity = {{"B", static_cast<std::int64_t>(rows)}, {"T", static_cast<std::int64_t>(longest_)}},
         .threads = threads});
    marks made{.all = which.size()};
    for (const auto& batch : in_batches(which, rows))
      inputs(batch, [&](const auto&... given) {
        const auto out = net(given...);
        const auto scores = out["logits"_out];
        for (std::size_t row = 0; row < batch.size(); ++row) {
          // The network has places for more labels.
          const float* first = &scores(row, 0);
          const auto best =
              static_cast<std::size_t>(std::max_element(first, first + from_.labels.size()) - first);
          const auto label = static_cast<std::size_t>(from_.label_of[batch[row]]);
          if (best == label)
            ++made.right;
          else if (made.wrong.size() < 10)
            made.wrong.push_back(fmt::format("{}, taken for {}: {}", from_.labels[label], from_.labels[best],
                                             from_.texts[batch[row]]));
        }
      });
    return made;
  }

private:
  const labelled_texts& from_;
  std::vector<fovea::token_ids> lines_;
  std::size_t longest_ = 1;
};

/// The words of the texts that are learned from; those that are rarer, or only in others, are unknown.
inline fovea::tokenizer words_of(const labelled_texts& texts, const std::vector<std::size_t>& learned,
                                 std::size_t most, std::size_t minimum_count) {
  fovea::tokenizer_trainer trainer(fovea::word_training{.size = most,
                                                        .minimum_count = minimum_count,
                                                        .special = {"<pad>", "<s>", "</s>", "<unk>"},
                                                        .punctuation = true});
  for (const std::size_t i : learned) trainer.add(texts.texts[i]);
  return trainer.train();
}

/// Learns from one split of the texts. The folder then is what `classify` opens.
template <class network>
fold_result learn(const labelled_texts& texts, const split& parts, const training::run& what,
                  const arguments& a) {
  using namespace fovea;
  const training::options& how = what.how;
  const rank_group& group = what.group;
  const auto rows = static_cast<std::size_t>(how.batch),
             share = static_cast<std::size_t>(training::share_of(how.batch, group));
  const tokenizer words =
      words_of(texts, parts.learned, static_cast<std::size_t>(network::sizes.vocab), a.minimum_count);
  const dataset<network> data(texts, words);
  length_buckets batches(data.lengths(parts.learned), {.rows = rows, .seed = how.seed});
  auto fit =
      training::fit(how, network::loss, adam{.rate = how.rate}, initial_weights(network::loss, how.seed),
                    {.capacity = {{"B", static_cast<std::int64_t>(share)},
                                  {"T", static_cast<std::int64_t>(data.longest())}},
                     .threads = how.threads,
                     .schedule = cosine_schedule({.total = how.steps, .warmup = 100, .floor = 0.05}),
                     .clip = 3,
                     .seed = how.seed,
                     .group = group});
  const auto held_out = data.in_batches(parts.held_out, share);
  const auto learned = training::learn(
      fit, what,
      [&](std::uint64_t i) {
        std::vector<std::size_t> which;
        for (const std::size_t example : training::filled(batches.batch(i), group))
          which.push_back(parts.learned[example]);
        return data.inputs_and_targets(which, group,
                                       [&](const auto&... given) { return fit.step(given...); });
      },
      [&] {
        return training::mean_over(held_out.size(), group, [&](std::size_t i) {
          const auto loss = [&](const auto&... given) { return fit.evaluate(given...)["loss"_out](); };
          return training::part_of_mean{static_cast<double>(data.inputs_and_targets(held_out[i], {}, loss)),
                                        static_cast<double>(held_out[i].size())};
        });
      });
  if (!what.writes()) return {learned, {}};
  save_tokenizer(how.out / "words.json", words);
  trained::write_json(how.out / "labels.json", texts.labels);
  trained::write_json(how.out / "sizes.json", classify_program::sizes_of(a.model));
  const marks marked = data.marked(load_weights(how.best(), {.copy = true}),
                                   parts.test.empty() ? parts.held_out : parts.test, rows, how.threads);
  training::finish(what, learned, {{parts.test.empty() ? "held out, right" : "test, right", marked.text()}},
                   a.folds > 0 ? std::vector<std::string>{} : marked.wrong);
  return {learned, marked};
}

/// Learns from one split, or from each of the folds in a folder of its own.
template <class network>
void run(const arguments& a) {
  const labelled_texts texts = read_texts(a.texts, a.encoding, classify_program::classes);
  const fovea::rank_group group = training::group();
  const bool writes = group.rank() == 0;
  if (writes)
    program::print(fmt::format("{} texts with {} labels\n{} parameters\n", texts.texts.size(),
                               texts.labels.size(), network::loss.parameters()));
  std::vector<fold_result> results;
  for (std::size_t fold = 0; fold < std::max<std::size_t>(a.folds, 1); ++fold) {
    const split parts = split_of(texts.texts.size(), fold, a.folds, a.validation, a.how.seed);
    training::run what{.program = "train_classifier",
                       .how = a.how,
                       .same = {{"model", a.model},
                                {"texts", std::to_string(texts.texts.size())},
                                {"fold", std::to_string(fold)},
                                {"folds", std::to_string(a.folds)},
                                {"validation", fmt::format("{}", a.validation)},
                                {"minimum count", std::to_string(a.minimum_count)}},
                       .tokens = static_cast<std::size_t>(a.how.batch),
                       .unit = "texts",
                       .group = group,
                       .data = files_of(a.texts)};
    if (a.folds > 0) what.how.out /= fmt::format("fold{}", fold + 1);
    results.push_back(learn<network>(texts, parts, what, a));
  }
  if (a.folds > 0 && writes) write_folds(results, a);
}

} // namespace train_classifier
