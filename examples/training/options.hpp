#pragma once

#include <program/command_line.hpp>

#include <cstdint>
#include <filesystem>
#include <string>

namespace training {

/// What every program that trains can be told; each sets its own defaults before they are declared.
struct options {
  std::filesystem::path out;
  std::int64_t steps = 2000;
  int batch = 32;
  double rate = 1e-3;
  std::uint64_t seed = 1;
  int threads = 0;
  std::int64_t evaluate_every = 250, save_every = 0, log_every = 10;
  double save_seconds = 30;
  int patience = 0;
  bool resume = false;
  std::string products = "f32";

  std::filesystem::path checkpoint() const { return out / "checkpoint.safetensors"; }
  /// The best parameters so far, without what training keeps.
  std::filesystem::path best() const { return out / "weights.safetensors"; }
};

void declare(CLI::App& app, options& o);

} // namespace training
