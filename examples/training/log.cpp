#include "log.hpp"

#include <fovea/base/error.hpp>
#include <fovea/base/mapped_file.hpp>
#include <fovea/weights/temporary_file.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <utility>

namespace training {
namespace {

std::string header_of(const std::string& unit) {
  return "step,loss,validation_loss,gradient_norm,rate," + unit + "_per_second,seconds\n";
}

std::string text_of(const log_row& r) {
  const std::string validation = std::isnan(r.validation) ? "" : fmt::format("{:.6f}", r.validation);
  return fmt::format("{},{:.6f},{},{:.6g},{:.6g},{:.1f},{:.3f}\n", r.step, r.loss, validation,
                     r.gradient_norm, r.rate, r.tokens_per_second, r.seconds);
}

/// False where the line was cut off in the midst of being written.
bool read_row(const std::string& line, log_row& r) {
  std::array<std::string, 7> cells;
  std::size_t at = 0;
  for (std::string& cell : cells) {
    const std::size_t comma = std::min(line.find(',', at), line.size());
    cell = line.substr(at, comma - at);
    at = comma + 1;
  }
  if (at != line.size() + 1) return false;
  try {
    r.step = std::stoll(cells[0]);
    r.loss = std::stod(cells[1]);
    if (!cells[2].empty()) r.validation = std::stod(cells[2]);
    r.gradient_norm = std::stod(cells[3]), r.rate = std::stod(cells[4]);
    r.tokens_per_second = std::stod(cells[5]), r.seconds = std::stod(cells[6]);
  } catch (const std::exception&) {
    return false;
  }
  return true;
}

} // namespace

csv_log::csv_log(std::filesystem::path file, const std::string& unit, std::int64_t resumed_at)
    : file_(std::move(file)) {
  const std::string header = header_of(unit);
  if (resumed_at > 0 && std::filesystem::exists(file_)) {
    const fovea::core::mapped_file content(file_, {.copy = true});
    std::istringstream in(
        std::string(reinterpret_cast<const char*>(content.bytes().data()), content.bytes().size()));
    std::string line;
    if (!std::getline(in, line) || line + "\n" != header)
      throw fovea::error(file_.string() + ": is no log of a run");
    for (log_row row; std::getline(in, line) && read_row(line, row) && row.step <= resumed_at; row = {})
      rows_.push_back(row);
  }
  std::string text = header;
  for (const log_row& row : rows_) text += text_of(row);
  fovea::core::temporary_file to(file_);
  to.write(std::as_bytes(std::span(text)));
  to.commit();
}

void csv_log::add(const log_row& row) {
  std::ofstream out(file_, std::ios::app);
  out << text_of(row);
  if (!out.flush()) throw fovea::error(file_.string() + ": cannot be written");
  rows_.push_back(row);
}

} // namespace training
