#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace training {

/// A line of a run's log.
struct log_row {
  std::int64_t step = 0;
  double loss = 0;                                              // mean since the line before
  double validation = std::numeric_limits<double>::quiet_NaN(); // where it was looked at
  double gradient_norm = 0, rate = 0;                           // of the last step
  double tokens_per_second = 0,
         seconds = 0; // tokens or what else is counted; since the run began, without its pauses
};

/// log.csv of a run: each row is in the file when `add` returns.
class csv_log {
public:
  /// A new file, or one that goes on behind the rows up to a step; what is behind that was lost with the
  /// checkpoint that was not made. Throws fovea::error where the file cannot be written or is no such log.
  /// `unit`: what is counted a second, "tokens".
  csv_log(std::filesystem::path file, const std::string& unit, std::int64_t resumed_at = 0);

  void add(const log_row& row);
  const std::vector<log_row>& rows() const { return rows_; }

private:
  std::filesystem::path file_;
  std::vector<log_row> rows_;
};

} // namespace training
