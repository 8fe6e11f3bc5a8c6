#pragma once

#include <fovea/weights/weights.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tool {

/// What is told of a tokenizer.
struct tokenizer_facts {
  std::string file, kind; // the kind as "WordPiece"
  std::size_t tokens = 0;
  std::vector<std::pair<std::string, int>> special = {}; // and their ids
};

/// What is told of a file or a folder; what it does not hold is empty.
struct inspection {
  std::filesystem::path file;
  std::string what; // as in "GGUF weights of a llama"
  std::optional<fovea::model_weights> weights = {};
  std::map<std::string, std::string> metadata = {}; // what the weights say of themselves
  nlohmann::ordered_json config = nullptr;          // config.json
  std::vector<std::string> modules = {};            // the types of a sentence encoder's modules.json
  std::optional<tokenizer_facts> tokenizer = {};
};

/// Opens whatever it is, told by its content. Throws fovea::error that names the file and what is wrong.
inspection inspect(const std::filesystem::path& path);

} // namespace tool
