#pragma once

#include "log.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace training {

using facts = std::vector<std::pair<std::string, std::string>>; // what, and how much

/// "98.60 % of 1000".
std::string share(std::size_t part, std::size_t all);

/// What a run comes to.
struct report {
  std::string title;
  std::string held_out = "validation"; // what the loss beside that of learning is of
  facts figures, options;
  std::vector<log_row> rows;
  std::vector<std::string> samples;
  std::vector<std::filesystem::path> pictures; // .svg files
};

/// Writes the losses as curves.svg, log.csv being there, and all in one report.html that needs no other file.
/// Throws fovea::error where a file cannot be written.
void write_report(const report& r, const std::filesystem::path& folder);

/// The processor, the threads, the instruction set in use and the compiler.
facts machine(int threads);

} // namespace training
