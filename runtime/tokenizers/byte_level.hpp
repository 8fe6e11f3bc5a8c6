#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fovea::core {

/// GPT-2's printable alphabet for bytes: the code point that stands for each byte. Printable Latin-1
/// characters stand for themselves, the other 68 bytes for U+0100 and on (a space is U+0120).
std::uint32_t byte_character(unsigned char byte);

/// The bytes in the printable alphabet, as UTF-8.
std::string printable_bytes(std::string_view bytes);

/// Appends the bytes that a token of the printable alphabet stands for; a token with another character in it
/// (an added token) stands for itself.
void append_token_bytes(std::string_view token, std::string& bytes);

/// The next word of GPT-2's pre-tokeniser at byte `at` < text.size(), never empty: what the pattern
/// `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+` matches. Moves `at` behind
/// it.
std::string_view next_gpt2_word(std::string_view text, std::size_t& at);

/// The same by the pattern of Llama 3 (`most_digits` 3) and Qwen 2 (1): `(?i:'s|'t|'re|'ve|'m|'ll|'d)|
/// [^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,most_digits}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`.
std::string_view next_llama3_word(std::string_view text, std::size_t& at, std::size_t most_digits);

/// The next word of CLIP's pre-tokeniser, which leaves white space out; empty where no word is left:
/// `'s|'t|'re|'ve|'m|'ll|'d|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+`, in front of which later files have `<\|startoftext\|>|<\|endoftext\|>|`
/// (`spelt_tokens`).
std::string_view next_clip_word(std::string_view text, std::size_t& at, bool spelt_tokens = false);

} // namespace fovea::core
