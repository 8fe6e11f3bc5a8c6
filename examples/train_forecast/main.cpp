// Trains a network that forecasts a series.

#include "arguments.hpp"

#include <forecast/network.hpp>
#include <program/program.hpp>

#include <map>

namespace {

using train_forecast::arguments;

const std::map<int, void (*)(const arguments&)> networks{
    {forecast_program::short_range.horizon, train_forecast::run_short_range},
    {forecast_program::long_range.horizon, train_forecast::run_long_range}};

void declare(CLI::App& app, arguments& a) {
  app.add_option(
         "SERIES", a.series,
         "A file of values: names in the first line, then a line a step; a first column may have times")
      ->required();
  app.add_option("--column", a.columns, "A column to learn and forecast; again for another; all without it")
      ->allow_extra_args(false);
  app.add_option("--horizon", a.horizon, "Steps to forecast: 24 by the 96 before, 96 by the 336 before")
      ->capture_default_str()
      ->check(CLI::IsMember(networks));
  app.add_option("--validation", a.validation, "The share before the test's that chooses the parameters")
      ->capture_default_str()
      ->check(CLI::Range(0.01, 0.5));
  app.add_option("--test", a.test, "The share at the end that is measured once")
      ->capture_default_str()
      ->check(CLI::Range(0.01, 0.5));
  app.add_option("--season", a.season,
                 "Steps of a season, for the baseline; found by autocorrelation without it")
      ->check(CLI::Range(1, 1 << 30));
  training::declare(app, a.how);
}

void run(const arguments& a) { networks.at(a.horizon)(a); }

} // namespace

int main(int count, char** words) {
  return program::run<arguments>("train_forecast", "Trains a network that forecasts a series.", count, words,
                                 declare, run);
}
