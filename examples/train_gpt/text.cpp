#include "text.hpp"

#include <fovea/base/error.hpp>
#include <fovea/base/mapped_file.hpp>
#include <fovea/runtime/tokenizers/tokenizer_trainer.hpp>

namespace train_gpt {
namespace {

using fovea::tokenizer;

tokenizer characters_or_bytes(std::string_view text, std::size_t vocabulary, std::string& unit) {
  fovea::tokenizer_trainer trainer(fovea::character_training{});
  trainer.add(text);
  tokenizer characters = trainer.train();
  unit = "characters";
  if (characters.vocabulary_size() <= vocabulary) return characters;
  unit = "bytes";
  return fovea::byte_tokenizer();
}

} // namespace

text read_text(const std::filesystem::path& file, const std::filesystem::path& tokenizer_file,
               std::size_t vocabulary) {
  std::optional<tokenizer> words;
  if (!tokenizer_file.empty()) words = fovea::load_tokenizer(tokenizer_file);
  std::string unit = "tokens";
  const auto checked = [&](const tokenizer& t) {
    if (t.vocabulary_size() > vocabulary)
      throw fovea::error(
          (tokenizer_file.empty() ? file : tokenizer_file).string() + ": expected a vocabulary of at most " +
          std::to_string(vocabulary) +
          ", which this program is compiled for (FOVEA_TRAIN_GPT_VOCABULARY of CMake); found " +
          std::to_string(t.vocabulary_size()));
  };
  if (words) checked(*words);
  if (file.extension() == ".bin") return {words, fovea::token_text::mapped(file), unit};
  const fovea::core::mapped_file mapped(file, {.copy = true});
  const std::string_view content(reinterpret_cast<const char*>(mapped.bytes().data()), mapped.bytes().size());
  try {
    if (!words) words = characters_or_bytes(content, vocabulary, unit);
    checked(*words);
    return {words, fovea::token_text(words->encode(content, {.special = false}).ids), unit};
  } catch (const fovea::error& problem) {
    throw fovea::error(file.string() + ": " + problem.what());
  }
}

} // namespace train_gpt
