#pragma once

#include "arguments.hpp"
#include "batches.hpp"
#include "misread.hpp"
#include "models.hpp"

#include <program/text.hpp>
#include <training/finish.hpp>

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

/// f(their numbers) of each batch of `count` images from the first on.
template <class F>
void for_each_batch(std::size_t first, std::size_t count, std::size_t rows, F f) {
  std::vector<std::size_t> which(count);
  std::iota(which.begin(), which.end(), first);
  for (std::size_t i = 0; i < count; i += rows)
    f(std::span<const std::size_t>(which).subspan(i, std::min(rows, count - i)));
}

/// The images of the test part that a trained network takes for other digits, the surest first.
template <class network>
std::vector<misread> misread_by(const model_weights& trained, const parts& data,
                                const training::options& how) {
  auto net = compile(network::reads, trained, {.capacity = {{"B", how.batch}}, .threads = how.threads});
  std::vector<misread> wrong;
  for_each_batch(data.all.count() - data.test, data.test, static_cast<std::size_t>(how.batch),
                 [&](std::span<const std::size_t> which) {
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
                 });
  std::ranges::sort(wrong, std::greater{}, &misread::probability);
  return wrong;
}

template <class network>
void run(const arguments& a) {
  const parts data = read_parts(a);
  const training::options& how = a.how;
  const auto rows = static_cast<std::size_t>(how.batch);
  program::print(fmt::format("{} images to learn from, {} to choose by, {} to test\n{} parameters\n",
                             data.learned, data.validation, data.test, network::loss.parameters()));
  // All examples are of one length: an order of their own in each epoch is what is left of the buckets.
  length_buckets batches(std::vector<std::size_t>(data.learned, 1), {.rows = rows, .seed = how.seed});
  auto fit = train(network::loss, adamw{.rate = how.rate, .weight_decay = a.decay},
                   initial_weights(network::loss, how.seed),
                   {.capacity = {{"B", how.batch}},
                    .threads = how.threads,
                    .schedule = cosine_schedule({.total = how.steps, .warmup = 100}),
                    .clip = 1,
                    .seed = how.seed});
  const training::run what{.program = "train_digits",
                           .how = how,
                           .same = {{"model", a.model},
                                    {"images", std::to_string(data.all.count())},
                                    {"test", std::to_string(data.test)},
                                    {"validation", std::to_string(data.validation)},
                                    {"shift", std::to_string(a.shift)},
                                    {"decay", fmt::format("{}", a.decay)}},
                           .tokens = rows,
                           .unit = "images"};
  const bool chooses = data.validation > 0;
  const auto result = training::learn(
      fit, what,
      [&](std::uint64_t i) {
        const batch now = shifted_batch_of(data.all, batches.batch(i), a.shift, how.seed, i);
        return fit.step("pixels"_in = now.pixels, "targets"_in = now.targets);
      },
      [&] {
        const std::size_t count = chooses ? data.validation : data.test;
        double sum = 0;
        for_each_batch(data.learned, count, rows, [&](std::span<const std::size_t> which) {
          const batch now = batch_of(data.all, which);
          const auto out = fit.evaluate("pixels"_in = now.pixels, "targets"_in = now.targets);
          sum += static_cast<double>(which.size()) * static_cast<double>(out["loss"_out]());
        });
        return sum / static_cast<double>(count);
      });
  // The test may not choose: without a part to choose by, the last parameters are what was learned.
  if (!chooses) save_safetensors(how.best(), fit.weights().tensors(), {});
  const std::vector<misread> wrong = misread_by<network>(load_weights(how.best(), {.copy = true}), data, how);
  std::vector<std::filesystem::path> pictures;
  if (!wrong.empty()) draw(data.all, wrong, pictures.emplace_back(how.out / "misread.svg"));
  training::finish(what, result, {{"test, right", training::share(data.test - wrong.size(), data.test)}}, {},
                   pictures);
}

} // namespace train_digits
