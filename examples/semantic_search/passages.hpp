#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace semantic_search {

/// A part of a text that is searched as a whole: bytes [begin, end), lines counted from 1.
struct passage {
  std::size_t begin, end;
  std::size_t first_line, last_line;
  bool operator==(const passage&) const = default;
};

/// Sizes in the model's word pieces.
struct split_options {
  std::size_t limit = 254;  // no passage is longer; the model takes 256 with [CLS] and [SEP]
  std::size_t enough = 64;  // shorter paragraphs (headings, items of a list) are joined with what follows
  std::size_t overlap = 32; // what two passages share where a sentence had to be cut
};

/// The word pieces of a word, which holds no white space.
using piece_counter = std::function<std::size_t(std::string_view word)>;

/// Splits valid UTF-8 into passages: paragraphs (blank lines lie between them), short ones joined, long ones
/// cut into parts of about the same length, at the ends of sentences where possible. Every word is in some
/// passage.
std::vector<passage> split_passages(std::string_view text, const piece_counter& pieces,
                                    const split_options& options = {});

/// The text on one line: white space and control characters become single spaces, none at its ends.
std::string one_line(std::string_view text);

} // namespace semantic_search
