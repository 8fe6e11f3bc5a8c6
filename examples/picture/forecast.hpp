#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace picture {

/// A series, what was forecast of it, and what came where that is known.
struct forecast_column {
  std::string name = {};
  std::vector<double> history = {}, forecast = {};
  std::vector<double> truth = {};         // of the forecast steps; none: not known
  std::vector<double> typical_error = {}; // of each forecast step; none: not known
};

/// Columns of one table, which have as many steps of history each, and as many of forecast.
struct forecast {
  std::string time_name = {};
  std::vector<std::string> times = {}; // of the history and, behind it, of the forecast
  std::vector<forecast_column> columns = {};
};

/// Draws each column over the same times, its typical errors as a band, and below it the forecast less the truth where
/// that is known, as .svg or .png. Throws fovea::error where there is no column and where the file cannot be written.
void save(const forecast& shown, const std::filesystem::path& file);

} // namespace picture
