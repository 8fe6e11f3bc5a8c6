#pragma once

// What peers that are programs share: the options of bench/peers/peer.py, times taken as bench/measure.hpp takes
// them, and rows as JSON. Only the standard library is needed.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

class peer_rows {
public:
  std::vector<std::string> words; // the arguments that are not options

  peer_rows(std::string peer, std::string version, int count, char** given)
      : peer_(std::move(peer)), version_(std::move(version)) {
    for (int i = 1; i < count; ++i) {
      const std::string word = given[i];
      if (word == "--json" && i + 1 < count)
        file_ = given[++i];
      else if (word == "--threads" && i + 1 < count)
        threads_ = given[++i];
      else
        words.push_back(word);
    }
  }

  /// Whether the rows of one thread are asked for.
  [[nodiscard]] bool one_thread() const { return threads_ == "1"; }

  /// The best and the median of so many runs, in microseconds, each divided by `parts`.
  template <class Run>
  void time(const std::string& name, int runs, double parts, Run run) {
    std::vector<double> us;
    for (int i = 0; i < runs; ++i) {
      const auto start = std::chrono::steady_clock::now();
      run();
      const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;
      us.push_back(taken.count() / parts);
    }
    std::sort(us.begin(), us.end());
    add(name, us.front(), us[us.size() / 2]);
  }

  /// The status of the program: 0 where the rows are written.
  [[nodiscard]] int write() const {
    if (file_.empty()) return 0;
    std::ofstream file(file_);
    file << "[" << rows_ << "]\n";
    return file.flush() ? 0 : 1;
  }

private:
  void add(const std::string& name, double best, double median) {
    std::printf("%-40s %12.4f us, median %12.4f\n", name.c_str(), best, median);
    rows_ += (rows_.empty() ? "" : ",\n") + std::string(R"({"name": ")") + name + R"(", "threads": )" +
             threads_ + R"(, "peer": ")" + peer_ + R"(", "peer_version": ")" + version_ +
             R"(", "peer_us": )" + std::to_string(best) + R"(, "peer_median_us": )" + std::to_string(median) +
             "}";
  }

  std::string peer_, version_, file_, threads_ = "1", rows_;
};
