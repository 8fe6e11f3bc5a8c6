#pragma once

#include <training/options.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace train_forecast {

struct arguments {
  std::string series;
  std::vector<std::string> columns;
  training::options how{.out = "forecast", .steps = 2000, .evaluate_every = 100, .patience = 10};
  int horizon = 24;
  double validation = 0.1, test = 0.2;
  std::size_t season = 0;

  std::vector<std::filesystem::path> files() const { return {series}; }
};

/// Each network in a source file of its own: the folder is what `forecast` opens.
void run_short_range(const arguments& a);
void run_long_range(const arguments& a);

} // namespace train_forecast
