#pragma once

// What the benchmarks share beside their measure: the command line, and rows printed and written as JSON.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <fovea/backends/simd/isa/dispatch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>

namespace fovea::bench {

/// What was measured by so many threads.
struct report {
  int threads = 1;
  nlohmann::json rows = nlohmann::json::array();

  /// Prints a row and keeps it. `bound` is the share reached of the machine's limit.
  void add(const std::string& name, double us, std::optional<double> bound) {
    std::printf("%-36s %12.3f us", name.c_str(), us);
    if (bound) std::printf("  %5.1f %% of the limit", 100 * *bound);
    std::printf("\n");
    std::fflush(stdout);
    rows.push_back({{"name", name}, {"isa", instruction_set()}, {"threads", threads}, {"ours_us", us}});
    rows.back()["bound"] = bound ? nlohmann::json(*bound) : nlohmann::json();
  }

  /// One that a peer was timed beside.
  void add(const std::string& name, double us, double bound, const std::string& peer,
           const std::string& version, double peer_us) {
    add(name, us, bound);
    std::printf("%36s %12.3f us  %5.2f times ours\n", peer.c_str(), peer_us, peer_us / us);
    rows.back().update(
        {{"peer", peer}, {"peer_version", version}, {"peer_us", peer_us}, {"ratio", peer_us / us}});
  }
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
  if (!json.empty()) file << measured.rows.dump(2) << std::endl;
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

} // namespace fovea::bench
