#pragma once

// What the benchmarks share beside their measure: the command line, and rows printed and written as JSON.

#include "measure.hpp"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <fovea/backends/machine_limits.hpp>
#include <fovea/backends/simd/isa/dispatch.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>

namespace fovea::core::bench {

/// What a row cannot do without: multiply-adds, and bytes read from a buffer of `level` bytes, the size of
/// all that is read again and again (0: that of the bytes themselves).
struct demand {
  double multiply_adds = 0, bytes = 0, level = 0;
};

/// What was measured by so many threads, beside the machine's limits in the same run.
class report {
public:
  int threads = 1;

  thread_pool& pool() {
    if (!pool_) pool_.emplace(static_cast<size_t>(threads));
    return *pool_;
  }

  /// Prints a row and keeps it.
  void add(const std::string& name, const timings& t, std::optional<demand> needed = {}) {
    rows_.push_back({{"name", name},
                     {"isa", instruction_set()},
                     {"threads", threads},
                     {"us", t.best()},
                     {"median_us", t.median()},
                     {"bound", nullptr}});
    std::printf("%-40s %12.3f us, median %12.3f", name.c_str(), t.best(), t.median());
    if (needed) {
      if (needed->level == 0) needed->level = needed->bytes;
      rows_.back().update(
          {{"multiply_adds", needed->multiply_adds}, {"bytes", needed->bytes}, {"level", needed->level}});
      limit(rows_.back());
      std::printf("  %5.1f %% of the limit", 100 * rows_.back()["bound"].get<double>());
    }
    std::printf("\n");
    std::fflush(stdout);
  }

  /// What the last row also has to tell.
  void note(const std::string& key, double value) {
    std::printf("%40s %12.9g\n", key.c_str(), value);
    rows_.back()[key] = value;
  }

  /// What a peer took for the row of that name.
  void add_peer(const std::string& name, const std::string& peer, const std::string& version,
                const timings& t) {
    std::printf("%40s %12.3f us, median %12.3f\n", peer.c_str(), t.best(), t.median());
    std::fflush(stdout);
    rows_.push_back({{"name", name},
                     {"threads", threads},
                     {"peer", peer},
                     {"peer_version", version},
                     {"peer_us", t.best()},
                     {"peer_median_us", t.median()}});
  }

  /// All rows. What else the machine does can only lower its limits: they are measured once more, and the
  /// higher count.
  const nlohmann::json& rows() {
    for (auto& [bytes, rate] : bandwidths_) rate = std::max(rate, measured_bandwidth(bytes));
    if (peak_ > 0) peak_ = std::max(peak_, multiply_add_rate(pool(), instruction_set()));
    for (auto& row : rows_)
      if (row.contains("level")) limit(row);
    return rows_;
  }

private:
  double peak() {
    if (peak_ == 0) peak_ = multiply_add_rate(pool(), instruction_set());
    return peak_;
  }

  double measured_bandwidth(double bytes) {
    const size_t count = std::max(size_t{1024}, static_cast<size_t>(bytes) / sizeof(float));
    const buffer read = floats(count);
    return read_rate(pool(), instruction_set(), read.get(), count);
  }

  double bandwidth(double bytes) {
    const auto found = bandwidths_.find(bytes);
    return found != bandwidths_.end() ? found->second : bandwidths_[bytes] = measured_bandwidth(bytes);
  }

  /// The share reached of the larger of two limits: the multiply-adds at the measured rate, and the bytes at
  /// the measured bandwidth.
  void limit(nlohmann::json& row) {
    const double bytes = row["bytes"], multiply_adds = row["multiply_adds"];
    const double compute_us = multiply_adds > 0 ? multiply_adds / peak() : 0;
    const double read_us = bytes > 0 ? bytes / bandwidth(row["level"]) : 0;
    row["bound"] = std::max(compute_us, read_us) / row["us"].get<double>();
    if (multiply_adds > 0) row["peak"] = peak();
    if (bytes > 0) row["bandwidth"] = bandwidth(row["level"]);
  }

  std::optional<thread_pool> pool_;
  nlohmann::json rows_ = nlohmann::json::array();
  double peak_ = 0;
  std::map<double, double> bandwidths_; // by the size of the buffer
};

/// The main of a benchmark: `work` adds rows to the report that it is given, by the options that `declare`
/// adds to the common two.
template <class Work, class Declare>
int run(const char* about, int count, char** words, Work work, Declare declare) try {
  CLI::App app{about};
  report measured;
  std::string json;
  app.add_option("--threads", measured.threads, "threads")->check(CLI::Range(1, 1024));
  app.add_option("--json", json, "write the rows to this file");
  declare(app);
  CLI11_PARSE(app, count, words);
  std::ofstream file;
  if (!json.empty()) file.open(json);
  if (file) work(measured);
  if (!json.empty()) file << measured.rows().dump(2) << std::endl;
  if (!file) throw std::runtime_error(json + ": cannot be written");
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s: %s\n", words[0], e.what());
  return 1;
}

template <class Work>
int run(const char* about, int count, char** words, Work work) {
  return run(about, count, words, work, [](CLI::App&) {});
}

} // namespace fovea::core::bench
