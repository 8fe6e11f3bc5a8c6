#pragma once

#include <fovea/runtime/decoding/next_token.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace train_translator {

inline constexpr fovea::token_id padding = 0, begin = 1, end = 2;

/// Line n of one language is line n of the other.
struct parallel_lines {
  std::vector<std::string> source, target;

  std::size_t size() const { return source.size(); }
  /// The lines from the first to before the last.
  parallel_lines part(std::size_t first, std::size_t last) const;
};

/// Throws fovea::error that names the file where one can't be read, is not UTF-8 or has no lines, and both
/// where they have unequal numbers of lines.
parallel_lines read_parallel_lines(const std::filesystem::path& source, const std::filesystem::path& target);

/// <pad>, <s>, </s>, <unk> and the most frequent words and punctuation marks that occur twice. Throws
/// fovea::error that names the file where it has no words.
fovea::tokenizer vocabulary_of(const std::vector<std::string>& lines, std::size_t size,
                               const std::filesystem::path& file);

/// Pairs as a network learns them: the source ends with </s>, the target is read behind <s> and written with
/// </s> at its end.
struct token_pairs {
  std::vector<fovea::token_ids> source, read, written;

  std::size_t size() const { return source.size(); }
  /// By the number of tokens of both sides.
  std::vector<std::size_t> lengths() const;
  std::size_t longest_source() const;
  std::size_t longest_target() const;
};

/// The pairs both of whose lines have words, of at most `longest` each.
token_pairs pairs_of(const parallel_lines& lines, const fovea::tokenizer& source,
                     const fovea::tokenizer& target, std::size_t longest);

} // namespace train_translator
