#pragma once

#include "arguments.hpp"
#include "batches.hpp"
#include "misread.hpp"
#include "models.hpp"

#include <program/text.hpp>
#include <training/finish.hpp>
#include <training/fit.hpp>
#include <training/group.hpp>

#include <fovea/fovea.hpp>
#include <fovea/runtime/training/initialise.hpp>
#include <fovea/runtime/training/length_buckets.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace train_digits {

/// The images, and the number of those to learn from, to choose by and to test by, one part behind the other.
struct parts {
  digits all;
  std::size_t learned, validation, test;
};
/// Throws fovea::error where the files do not fit, or have too few images.
parts read_parts(const arguments& a);

/// `count` images from the first on, in batches of `rows`.
struct images_in_order {
  std::size_t first, count, rows;

  std::size_t batches() const { return (count + rows - 1) / rows; }
  /// The numbers of batch i; the last one may have fewer.
  std::vector<std::size_t> batch(std::size_t i) const {
    std::vector<std::size_t> which(std::min(rows, count - i * rows));
    std::iota(which.begin(), which.end(), first + i * rows);
    return which;
  }
};

/// The images of the test part that a trained network takes for other digits, the surest first.
template <class network>
std::vector<misread> misread_by(const model_weights& trained, const parts& data,
                                const training::options& how) {
  auto net = compile(network::reads, trained, {.capacity = {{"B", how.batch}}, .threads = how.threads});
  std::vector<misread> wrong;
  const images_in_order test{data.all.count() - data.test, data.test, static_cast<std::size_t>(how.batch)};
  for (std::size_t i = 0; i < test.batches(); ++i) {
    const std::vector<std::size_t> which = test.batch(i);
    const batch now = batch_of(data.all, which);
    const auto out = net("pixels"_in = now.pixels);
    const auto scores = out["logits"_out];
    for (std::size_t row = 0; row < which.size(); ++row) {
      const float* first = &scores(row, 0);
      const float* best = std::max_element(first, first + kinds);
      double sum = 0;
      for (int k = 0; k < kinds; ++k) sum += std::exp(static_cast<double>(first[k] - *best));
      if (best - first != now.targets(row))
        wrong.push_back({which[row], static_cast<int>(best - first), 1 / sum});
    }
  }
  std::ranges::sort(wrong, std::greater{}, &misread::probability);
  return wrong;
}

template <class network>
void run(const arguments& a) {
  const parts data = read_parts(a);
  const training::options& how = a.how;
  const rank_group group = training::group();
  const auto rows = static_cast<std::size_t>(how.batch),
             share = static_cast<std::size_t>(training::share_of(how.batch, group));
  if (group.rank() == 0)
    program::print(fmt::format("{} images to learn from, {} to choose by, {} to test\n{} parameters\n",
                               data.learned, data.validation, data.test, network::loss.parameters()));
  // All examples are of one length: an order of their own in each epoch is what is left of the buckets.
  length_buckets batches(std::vector<std::size_t>(data.learned, 1), {.rows = rows, .seed = how.seed});
  auto fit = training::fit(how, network::loss, adamw{.rate = how.rate, .weight_decay = a.decay},
                           initial_weights(network::loss, how.seed),
                           {.capacity = {{"B", static_cast<std::int64_t>(share)}},
                            .threads = how.threads,
                            .schedule = cosine_schedule({.total = how.steps, .warmup = 100}),
                            .clip = 1,
                            .seed = how.seed,
                            .group = group});
  const training::run what{.program = "train_digits",
                           .how = how,
                           .same = {{"model", a.model},
                                    {"images", std::to_string(data.all.count())},
                                    {"test", std::to_string(data.test)},
                                    {"validation", std::to_string(data.validation)},
                                    {"shift", std::to_string(a.shift)},
                                    {"decay", fmt::format("{}", a.decay)}},
                           .tokens = rows,
                           .unit = "images",
                           .group = group,
                           .data = a.files()};
  const bool chooses = data.validation > 0;
  const images_in_order held_out{data.learned, chooses ? data.validation : data.test, share};
  const auto result = training::learn(
      fit, what,
      [&](std::uint64_t i) {
        const auto which = training::filled(batches.batch(i), group);
        const batch all = shifted_batch_of(data.all, which, a.shift, how.seed, i);
        const auto pixels = training::share_of(all.pixels, group);
        const auto targets = training::share_of(all.targets, group);
        return fit.step("pixels"_in = pixels, "targets"_in = targets);
      },
      [&] {
        return training::mean_over(held_out.batches(), group, [&](std::size_t i) {
          const batch now = batch_of(data.all, held_out.batch(i));
          const auto out = fit.evaluate("pixels"_in = now.pixels, "targets"_in = now.targets);
          return training::part_of_mean{static_cast<double>(out["loss"_out]()),
                                        static_cast<double>(now.targets.size())};
        });
      });
  if (!what.writes()) return;
  // The test may not choose: without a part to choose by, the last parameters are what was learned.
  if (!chooses) save_safetensors(how.best(), fit.weights().tensors(), {});
  const std::vector<misread> wrong = misread_by<network>(load_weights(how.best(), {.copy = true}), data, how);
  std::vector<std::filesystem::path> pictures;
  if (!wrong.empty()) draw(data.all, wrong, pictures.emplace_back(how.out / "misread.svg"));
  training::finish(what, result, {{"test, right", training::share(data.test - wrong.size(), data.test)}}, {},
                   pictures);
}

} // namespace train_digits
