#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace train_tokenizer {

/// Cuts a text, valid UTF-8, into parts of at least `size` bytes, but for the last. The words of the parts
/// are those of the whole, by GPT-2's pattern too: each cut stands in front of a line feed behind which no
/// white space follows.
std::vector<std::string_view> parts_of(std::string_view text, std::size_t size);

/// Words between white space.
std::size_t count_words(std::string_view text);

} // namespace train_tokenizer
