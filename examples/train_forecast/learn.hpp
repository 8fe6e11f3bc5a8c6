#pragma once

#include "arguments.hpp"
#include "parts.hpp"

#include <forecast/networks.hpp>
#include <forecast/series_file.hpp>
#include <program/text.hpp>
#include <training/finish.hpp>
#include <training/fit.hpp>
#include <training/group.hpp>

#include <fovea/fovea.hpp>
#include <fovea/models/patchtst.hpp>
#include <fovea/runtime/training/initialise.hpp>
#include <fovea/runtime/training/length_buckets.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace train_forecast {

/// A series as a network learns it.
struct task {
  forecast_program::series all;
  parts sizes;
  scales scale;
  xt::xtensor<float, 2> values; // scaled
  std::size_t season = 0;
};
/// Throws fovea::error where the file or the options do not fit. Says what it read, where `says`.
task read_task(const arguments& a, std::size_t context, std::size_t horizon, bool says);

/// Measures what was learned, writes what `forecast` opens beside the weights, and the report.
void finish(const arguments& a, const task& t, const training::run& what, const training::outcome& result);

template <fovea::models::patchtst_config network>
void run(const arguments& a) {
  using namespace fovea;
  constexpr auto& loss = models::patchtst_loss<network>;
  const training::options& how = a.how;
  const rank_group group = training::group();
  const task t = read_task(a, network.context, network.horizon, group.rank() == 0);
  if (group.rank() == 0) program::print(fmt::format("{} parameters\n", loss.parameters()));
  const auto rows = static_cast<std::size_t>(how.batch),
             share = static_cast<std::size_t>(training::share_of(how.batch, group));
  const begins learned = t.sizes.to_learn(), chosen_by = t.sizes.to_choose();
  // All examples are of one length: an order of their own in each epoch is what is left of the buckets.
  length_buckets batches(std::vector<std::size_t>(learned.count, 1), {.rows = rows, .seed = how.seed});
  auto fit = training::fit(how, loss, adam{.rate = how.rate}, initial_weights(loss, how.seed),
                           {.capacity = {{"B", static_cast<std::int64_t>(share)},
                                         {"C", static_cast<std::int64_t>(t.all.columns())}},
                            .threads = how.threads,
                            .schedule = cosine_schedule({.total = how.steps, .warmup = 100}),
                            .clip = 1,
                            .seed = how.seed,
                            .group = group,
                            .batch_norm_over_ranks = true});
  const training::run what{.program = "train_forecast",
                           .how = how,
                           .same = {{"steps of the series", std::to_string(t.all.steps())},
                                    {"columns", fmt::format("{}", fmt::join(t.all.names, ", "))},
                                    {"horizon", std::to_string(a.horizon)},
                                    {"validation", fmt::format("{}", a.validation)},
                                    {"test", fmt::format("{}", a.test)}},
                           .tokens = rows,
                           .unit = "windows",
                           .group = group,
                           .data = a.files()};
  const auto result = training::learn(
      fit, what,
      [&](std::uint64_t i) {
        std::vector<std::size_t> which = training::filled(batches.batch(i), group);
        for (std::size_t& w : which) w += learned.first;
        const batch all = batch_of(t.values, which, t.sizes);
        const auto past = training::share_of(all.past, group), future = training::share_of(all.future, group);
        return fit.step("past"_in = past, "future"_in = future);
      },
      [&] {
        return training::mean_over((chosen_by.count + share - 1) / share, group, [&](std::size_t i) {
          std::vector<std::size_t> which(std::min(share, chosen_by.count - i * share));
          std::iota(which.begin(), which.end(), chosen_by.first + i * share);
          const batch now = batch_of(t.values, which, t.sizes);
          const auto out = fit.evaluate("past"_in = now.past, "future"_in = now.future);
          return training::part_of_mean{static_cast<double>(out["loss"_out]()),
                                        static_cast<double>(which.size())};
        });
      });
  if (what.writes()) finish(a, t, what, result);
}

} // namespace train_forecast
