#include "learn.hpp"
#include "errors.hpp"
#include "season.hpp"

#include <forecast/drawing.hpp>
#include <forecast/forecaster.hpp>

#include <fovea/base/error.hpp>

namespace train_forecast {
namespace {

using namespace forecast_program;
using fovea::load_weights;

std::size_t season_for(const arguments& a, const task& t) {
  if (a.season == 0) return season_of(t.all.values, t.sizes.learned);
  const std::size_t most = t.sizes.to_test().first;
  if (a.season > most)
    throw fovea::error(fmt::format(
        "--season: expected at most {} steps, so many lie before the test part; found {}", most, a.season));
  return a.season;
}

} // namespace

task read_task(const arguments& a, std::size_t context, std::size_t horizon, bool says) {
  task t{.all = read_series(a.series, a.columns), .sizes = {}, .scale = {}, .values = {}};
  t.sizes = split(t.all.steps(), a.validation, a.test, context, horizon, a.series);
  t.scale = scales_of(t.all.values, t.sizes.learned, t.all.names);
  t.values = scaled(t.all.values, t.scale.mean, t.scale.deviation);
  t.season = season_for(a, t);
  if (says)
    program::print(fmt::format("{}{} steps to learn from, {} to choose by, {} to test; {}\n",
                               description(t.all, a.series), t.sizes.learned, t.sizes.validation,
                               t.sizes.test,
                               t.season > 0 ? fmt::format("a season of {} steps", t.season) : "no season"));
  return t;
}

void finish(const arguments& a, const task& t, const training::run& what, const training::outcome& result) {
  knowledge known{.horizon = a.horizon,
                  .columns = t.all.names,
                  .mean = t.scale.mean,
                  .deviation = t.scale.deviation,
                  .error = {}};
  const auto rows = static_cast<std::size_t>(a.how.batch);
  forecaster network(known, load_weights(a.how.best(), {.copy = true}), rows, a.how.threads);
  const std::vector<errors> all = errors_in_test(network, t.values, t.sizes, t.season, rows);
  known.error = errors_ahead(all[0], known.deviation);
  write_knowledge(a.how.out, known);
  // The last forecast of the test, beside what came.
  const std::filesystem::path drawn = a.how.out / "test.svg";
  const std::size_t begin = t.all.steps() - t.sizes.horizon;
  picture::save(drawing_of(t.all, begin, network.from(t.all.values, begin), t.sizes.context, known), drawn);
  training::finish(what, result, facts_of(all, known), {}, {drawn});
}

} // namespace train_forecast
