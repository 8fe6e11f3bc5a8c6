#pragma once

#include <fovea/backends/xtensor.hpp>

#include <string>
#include <vector>

namespace forecast_program {

/// Some columns of a file, step by step, and when each step was.
struct series {
  std::string time_name;          // of the first column, where that has times or other labels
  std::vector<std::string> times; // of each step, as the file writes them; none where there is no such column
  std::vector<std::string> names; // of the columns of values
  xt::xtensor<double, 2> values;  // [steps, columns]
  std::vector<std::string> unused; // names of columns that were not asked for

  std::size_t steps() const { return values.shape()[0]; }
  std::size_t columns() const { return names.size(); }
};

/// Reads a file whose lines are steps, in UTF-8: names in the first line, cells between commas, semicolons or tabs,
/// quoted as RFC 4180 has it. A first column is of labels where it has times (calendar.hpp) or texts, unless `columns`
/// names it. The values are those of `columns`, in this order; of all others where that is empty.
///
/// Throws fovea::error that names file, line and column for a cell that is empty or no number, a line with other than
/// the header's number of cells, times that do not increase, a name that is unknown or twice there.
series read_series(const std::string& file, const std::vector<std::string>& columns = {});

/// "taylor.csv: 4032 steps of demand, from 2000-06-05 00:00 to 2000-08-27 23:30, which are evenly apart", a line, and
/// another with the columns that are not used.
std::string description(const series& s, const std::string& file);

/// The times of the next `count` steps; "+1", how many steps ahead they are, where the series' are not known to be
/// evenly apart.
std::vector<std::string> times_ahead(const series& s, std::size_t count);

} // namespace forecast_program
