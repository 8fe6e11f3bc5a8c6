#include "series_file.hpp"
#include "calendar.hpp"

#include <program/text.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/read_number.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace forecast_program {
namespace {

using fovea::core::number_in;

/// What separates a header's cells: a tab, else a semicolon, else a comma, where it has one outside of quotes.
char separator_of(const std::string& header) {
  for (const char separator : {'\t', ';'}) {
    bool quoted = false;
    for (const char c : header) {
      if (c == '"') quoted = !quoted;
      if (c == separator && !quoted) return separator;
    }
  }
  return ',';
}

std::string without_blanks(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::vector<std::string> cells_of(const std::string& line, char separator) {
  std::vector<std::string> cells;
  for (std::size_t at = 0; at <= line.size();) {
    if (at == line.size() || line[at] != '"') {
      const std::size_t end = std::min(line.find(separator, at), line.size());
      cells.push_back(without_blanks(line.substr(at, end - at)));
      at = end + 1;
      continue;
    }
    std::string cell;
    for (++at;; ++at) {
      if (at >= line.size()) throw fovea::error("expected a closing quotation mark, found the line's end");
      if (line[at] == '"' && line.compare(at, 2, "\"\"") != 0) break;
      if (line[at] == '"') ++at;
      cell += line[at];
    }
    if (++at < line.size() && line[at] != separator)
      throw fovea::error(
          fmt::format("expected '{}' behind the quotation mark, found '{}'", separator, line[at]));
    cells.push_back(std::move(cell));
    ++at;
  }
  return cells;
}

/// A file's cells, and where they stand, for what is said of them.
struct table {
  std::string file;
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;

  std::string place(std::size_t row) const { return fmt::format("{}:{}", file, row + 2); }
  auto column(std::size_t c) const {
    std::vector<std::string> cells;
    for (const auto& row : rows) cells.push_back(row[c]);
    return cells;
  }
};

table read_table(const std::string& file) {
  std::vector<std::string> lines = program::lines_of(file);
  while (!lines.empty() && without_blanks(lines.back()).empty()) lines.pop_back();
  if (lines.size() < 2)
    throw fovea::error(
        fmt::format("{}: expected a line of names and lines of values, found {} lines", file, lines.size()));
  if (lines[0].starts_with("\xef\xbb\xbf")) lines[0].erase(0, 3); // the mark of UTF-8
  const char separator = separator_of(lines[0]);
  table made{.file = file, .names = {}, .rows = {}};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    try {
      std::vector<std::string> cells = cells_of(lines[i], separator);
      if (i > 0 && cells.size() != made.names.size())
        throw fovea::error(fmt::format("expected {} cells, as the first line has; found {}",
                                       made.names.size(), cells.size()));
      (i > 0 ? made.rows.emplace_back() : made.names) = std::move(cells);
    } catch (const fovea::error& problem) {
      throw fovea::error(fmt::format("{}:{}: {}", file, i + 1, problem.what()));
    }
  }
  if (std::ranges::all_of(made.names, [](const std::string& n) { return number_in<double>(n).has_value(); }))
    throw fovea::error(fmt::format("{}:1: expected the names of the columns, found numbers", file));
  for (std::size_t c = 0; c < made.names.size(); ++c) {
    if (made.names[c].empty() && c > 0)
      throw fovea::error(fmt::format("{}:1: expected a name of column {}, found an empty cell", file, c + 1));
    if (std::ranges::count(made.names, made.names[c]) > 1)
      throw fovea::error(
          fmt::format("{}:1: expected a name for one column, found '{}' twice", file, made.names[c]));
  }
  return made;
}

double value_of(const table& t, std::size_t row, std::size_t column) {
  const std::string& cell = t.rows[row][column];
  const auto value = number_in<double>(cell);
  if (!value || !std::isfinite(*value))
    throw fovea::error(fmt::format("{}: column '{}': expected a number, found {}", t.place(row),
                                   t.names[column], cell.empty() ? "an empty cell" : "'" + cell + "'"));
  return *value;
}

/// Whether the first column says when each step was: texts, or numbers that are years or days one after the other.
/// Throws fovea::error where times do not increase.
bool has_labels(const table& t) {
  const std::vector<std::string> cells = t.column(0);
  const bool is_text = !cells[0].empty() && !number_in<double>(cells[0]);
  std::vector<long long> moments;
  for (const std::string& cell : cells) {
    const auto moment = seconds_of(cell);
    if (!moment) return is_text;
    moments.push_back(*moment);
  }
  // Four digits are numbers, too, which go up and down; years do not.
  if (!is_text && std::ranges::adjacent_find(moments, std::greater_equal()) != moments.end() &&
      std::ranges::adjacent_find(moments, std::less_equal()) != moments.end())
    return false;
  for (std::size_t i = 1; i < moments.size(); ++i)
    if (moments[i] <= moments[i - 1])
      throw fovea::error(fmt::format("{}: column '{}': expected a time after {}, found {}", t.place(i),
                                     t.names[0], cells[i - 1], cells[i]));
  return true;
}

} // namespace

series read_series(const std::string& file, const std::vector<std::string>& columns) {
  const table t = read_table(file);
  const bool labels =
      t.names.size() > 1 && std::ranges::find(columns, t.names[0]) == columns.end() && has_labels(t);
  series made{.time_name = labels ? t.names[0] : "",
              .times = labels ? t.column(0) : std::vector<std::string>{},
              .names = columns,
              .values = {},
              .unused = {}};
  if (columns.empty()) made.names.assign(t.names.begin() + (labels ? 1 : 0), t.names.end());
  std::vector<std::size_t> places;
  for (const std::string& name : made.names) {
    const auto found = std::ranges::find(t.names, name);
    if (found == t.names.end())
      throw fovea::error(
          fmt::format("{}:1: expected a column '{}', found '{}'", file, name, fmt::join(t.names, "', '")));
    if (std::ranges::count(made.names, name) > 1)
      throw fovea::error(fmt::format("expected each column once, found '{}' twice", name));
    places.push_back(static_cast<std::size_t>(found - t.names.begin()));
  }
  for (std::size_t c = labels ? 1 : 0; c < t.names.size(); ++c)
    if (std::ranges::find(places, c) == places.end()) made.unused.push_back(t.names[c]);
  made.values = xt::xtensor<double, 2>::from_shape({t.rows.size(), places.size()});
  for (std::size_t row = 0; row < t.rows.size(); ++row)
    for (std::size_t c = 0; c < places.size(); ++c) made.values(row, c) = value_of(t, row, places[c]);
  return made;
}

std::string description(const series& s, const std::string& file) {
  std::string text = fmt::format("{}: {} steps of {}", file, s.steps(), fmt::join(s.names, ", "));
  if (!s.times.empty())
    text += fmt::format(", from {} to {}, which are {}evenly apart", s.times.front(), s.times.back(),
                        times_after(s.times, 1).empty() ? "not known to be " : "");
  if (!s.unused.empty()) text += fmt::format("\ncolumns that are not used: {}", fmt::join(s.unused, ", "));
  return text + "\n";
}

std::vector<std::string> times_ahead(const series& s, std::size_t count) {
  std::vector<std::string> times = times_after(s.times, count);
  for (std::size_t i = times.size(); i < count; ++i) times.push_back(fmt::format("+{}", i + 1));
  return times;
}

} // namespace forecast_program
