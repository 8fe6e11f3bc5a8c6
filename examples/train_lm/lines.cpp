#include "lines.hpp"

#include <program/text.hpp>

#include <fovea/base/error.hpp>
#include <fovea/runtime/tokenizers/tokenizer_trainer.hpp>

#include <string>

namespace train_lm {

character_lines read_lines(const std::filesystem::path& file, std::size_t vocabulary) {
  const std::vector<std::string> lines = program::lines_of(file.string());
  fovea::tokenizer_trainer trainer(fovea::character_training{.special = {"<line>"}, .unknown = ""});
  for (const std::string& line : lines) trainer.add(line);
  const auto characters = [&] {
    try {
      return trainer.train();
    } catch (const fovea::error& problem) {
      throw fovea::error(file.string() + ": " + problem.what());
    }
  }();
  if (characters.vocabulary_size() > vocabulary)
    throw fovea::error(file.string() + ": expected at most " + std::to_string(vocabulary - 1) +
                       " different characters, found " + std::to_string(characters.vocabulary_size() - 1));
  character_lines made{characters, {}};
  for (const std::string& line : lines)
    if (!line.empty()) made.lines.push_back(characters.encode(line, {.special = false}).ids);
  return made;
}

} // namespace train_lm
