#pragma once

#include <fovea/runtime/decoding/sampling.hpp>

#include <CLI/App.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace generate_program {

/// The command line.
struct arguments {
  std::vector<std::string> prompts = {};
  std::string prompt_file = {};
  std::filesystem::path weights = {}, tokenizer = {};
  fovea::sampling_options how = {};
  std::size_t tokens = 200;
  std::vector<std::string> stops = {};
  int threads = 0;
};

void declare(CLI::App& app, arguments& a);

/// The same with the file's prompts behind the others, an empty one where there are none, the weights and the
/// tokenizer that `learned` holds where no weights are named, and the tokenizer of a GGUF file where none is.
/// Throws fovea::error where something is missing.
arguments completed(arguments a, const std::filesystem::path& learned = {});

} // namespace generate_program
