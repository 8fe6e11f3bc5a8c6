#include "text_ends.hpp"

#include "config_json.hpp"

#include <fovea/runtime/tokenizers/tokenizer.hpp>

namespace tool {

text_ends ends_of(const checkpoint& from, bool translates) {
  const fovea::tokenizer words = fovea::load_tokenizer(from.tokenizer);
  std::vector<settings> said{from.config};
  if (const auto file = from.path / "generation_config.json"; std::filesystem::exists(file))
    said.insert(said.begin(), settings(load_config_json(file), file.string()));
  // The first that says it.
  const auto spelt = [&](std::initializer_list<const char*> keys) {
    std::vector<std::string> tokens;
    for (const settings& one : said) {
      for (const char* key : keys)
        for (const int id : one.ids(key)) // an id that the tokenizer lacks is never written
          if (static_cast<std::size_t>(id) < words.vocabulary_size()) tokens.emplace_back(words.token(id));
      if (!tokens.empty()) break;
    }
    return tokens;
  };
  const std::vector<std::string> begin = from.gguf    ? spelt({"tokenizer.ggml.bos_token_id"})
                                         : translates ? spelt({"decoder_start_token_id"})
                                                      : spelt({"bos_token_id"});
  return {begin.empty() ? "" : begin.front(),
          from.gguf ? spelt({"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"})
                    : spelt({"eos_token_id"})};
}

} // namespace tool
