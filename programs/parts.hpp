#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <fovea/dsl/dim.hpp>

namespace fovea::programs {

/// A file that a program is built with: its bytes where they are in the executable, else where it lies; neither
/// where the command line names it.
struct built_file {
  std::filesystem::path path = {};
  std::span<const std::byte> bytes = {};
  bool moves_along = false; // with the program: beside that it is looked for first
};

/// What a program or library is built from, as fovea_add_executable and fovea_add_library write it.
struct program_parts {
  std::string name, model, format;
  std::string declared = {};          // the name that the declaration gives to the model
  std::vector<std::string> sets = {}; // of instructions, from best to least
  built_file weights = {}, tokenizer = {};
  built_file target_tokenizer = {};  // of translations, where it is another
  built_file generation_config = {}; // which tokens a model of speech may write
  std::map<std::string, double> metadata =
      {}; // what the weights say of themselves, if they do (expect_metadata)
  std::vector<core::dim_size> capacity = {}; // of a library's dims, where its caller says no other
  std::int64_t context = 0;                  // the most tokens of a text; 0: the command line says it
  std::vector<std::string> labels = {};      // of a classifier's or tagger's scores, in order
  std::string begin = {};                    // the token that an empty prompt and a translation begin with
  std::vector<std::string> end = {};     // tokens that end what is generated; the first ends a source, too
  std::vector<program_parts> draft = {}; // the small model whose tokens are read ahead, where there is one
  std::vector<built_file> beside_tokenizer = {}; // one that is embedded: what says how the model is talked to
  bool tells_speed = true;                       // when it has generated; of several ranks one does
};

} // namespace fovea::programs
