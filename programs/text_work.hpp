#pragma once

#include <fovea/programs/text_input.hpp>
#include <fovea/programs/text_network.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <cstddef>
#include <vector>

namespace fovea::programs {

/// The most texts that go through a network together.
inline constexpr std::size_t texts_of_a_call = 8;

/// One text on its way through a network.
struct text_work {
  input_text input;
  token_encoding tokens;
  std::vector<float> values = {}; // what the network gave for it, or for each of its tokens
};

/// A text with its tokens, at most `longest` of them. Throws fovea::error that says where the text stands, where there is
/// none. `was_cut` tells whether tokens were left out.
text_work work_of(input_text input, const tokenizer& words, std::size_t longest, bool& was_cut);

/// Gives each text its values: texts of like length go through the network together.
void run_together(text_network& network, std::vector<text_work>& texts, bool each_token);

} // namespace fovea::programs
