#include "fuzzed.hpp"

#include <fovea/runtime/tokenizers/tokenizer.hpp>

/// Loads a tokenizer, encodes a text and decodes what comes out.
void fovea::core::fuzz::run(std::string_view input) {
  static const input_file file(FOVEA_FUZZED_FILE);
  const text_and_file parts(input);
  attempt([&] {
    const tokenizer tokens = load_tokenizer(file.holding(parts.file));
    const token_encoding whole = tokens.encode(parts.text);
    tokens.decode(whole.ids);
    tokens.encode_pair(parts.text, parts.text.substr(0, parts.text.size() / 2), {.max_length = 8});
  });
}
