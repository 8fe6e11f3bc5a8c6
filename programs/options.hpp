#pragma once

#include <fovea/programs/parts.hpp>
#include <fovea/programs/profile_at_end.hpp>
#include <fovea/programs/shard.hpp>
#include <fovea/runtime/calls/capacity_error.hpp>
#include <fovea/runtime/options.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>
#include <fovea/weights/weights.hpp>

#include <program/command_line.hpp>

#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace fovea::programs {

/// What every program takes at its command line.
struct options {
  std::vector<std::string> files;
  std::filesystem::path weights, tokenizer, target_tokenizer;
  int threads = 0;
  std::int64_t context = 0;
  cache_format cache; // of what writes texts
  bool json = false;
  std::shared_ptr<const profile_at_end> profiled; // where it is asked for
  std::string field;            // of JSON lines, the one that holds the text; empty: the input is plain lines
  shard part;                   // of the texts
  std::filesystem::path output; // empty: the standard output
  bool resume = false;
};

/// States --version, --weights, --threads and --profile. What a program is built with need not be named.
void declare_model(CLI::App& app, options& o, const program_parts& parts);
/// States --tokenizer and --context.
void declare_texts(CLI::App& app, options& o, const program_parts& parts);
/// Both, and how texts are read and answered.
void declare(CLI::App& app, options& o, const program_parts& parts);
/// States --cache, for what writes texts.
void declare_cache(CLI::App& app, options& o);
/// States --shard, --output and --resume: how a worker of several answers its texts.
void declare_batch(CLI::App& app, options& o);
/// The same, and the files of texts.
void declare_files(CLI::App& app, options& o);

[[noreturn]] void refuse_context(const options& o, const core::capacity_error& problem);
/// What `make` makes of a model for texts of --context tokens. Throws fovea::error where the model takes none so long.
template <class F>
auto made_for_context(const options& o, F make) try {
  return make();
} catch (const core::capacity_error& problem) {
  refuse_context(o, problem);
}

/// What the command line names, else what the program is built with. Throws fovea::error where there is none.
model_weights weights_of(const options& o, const program_parts& parts);
/// The same; where none is named, that in the GGUF file of the weights. Throws fovea::error where it has more than
/// `most` tokens, too.
tokenizer tokenizer_of(const options& o, const program_parts& parts,
                       std::size_t most = std::numeric_limits<std::size_t>::max());
/// That of translations; where none is named, the texts' own.
tokenizer target_tokenizer_of(const options& o, const program_parts& parts, std::size_t most);

} // namespace fovea::programs
