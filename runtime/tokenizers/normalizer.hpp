#pragma once

#include <fovea/runtime/tokenizers/bert_text.hpp>
#include <fovea/runtime/tokenizers/precompiled_map.hpp>
#include <fovea/runtime/tokenizers/sentence_piece_text.hpp>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fovea::core {

// What a text goes through before it is cut into words, as Hugging Face tokenizers define it.

enum class unicode_form { nfc, nfd, nfkc, nfkd };
struct lower_case {};    // code point by code point
struct strip_accents {}; // without marks of any kind
struct strip_space {     // white space at the ends
  bool left, right;
};
struct prepend { // not to an empty text
  std::string text;
};
struct replace_text {
  std::string from, to;
};

/// Two spaces and more become one text, as T5's normaliser writes it.
struct replace_space_runs {
  std::string to;
};

/// White space of any kind and length becomes one text, as CLIP's normaliser writes it.
struct replace_white_space {
  std::string to;
};

using normalizer_step =
    std::variant<bert_normalizer, unicode_form, lower_case, strip_accents, strip_space, prepend, replace_text,
                 replace_space_runs, replace_white_space, precompiled_map, sentence_piece_text>;
using normalizer = std::vector<normalizer_step>;

/// The text, valid UTF-8, after all steps in order. Throws fovea::error that names the step behind which a
/// text of n bytes has more than 32 n + 1,024: Unicode's forms make at most 11 bytes of one, and a space
/// becomes 3.
std::string normalized(const normalizer& steps, std::string_view text);

} // namespace fovea::core
