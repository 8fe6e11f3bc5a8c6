#pragma once

#include <generate/configuration.hpp>

#include <fovea/runtime/decoding/sampling.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace generate_program {

/// The command line.
struct arguments {
  std::vector<std::string> prompts = {}; // those of the command line, then those of the file
  std::filesystem::path weights = {}, tokenizer = {};
  fovea::sampling how = {};
  std::size_t tokens = 200;
  std::vector<std::string> stops = {};
  int threads = 0;
};

/// Nothing when only help was asked for, which is printed then. Throws fovea::error for what does not fit.
std::optional<arguments> parse(const configuration& c, int count, const char* const* words);

} // namespace generate_program
