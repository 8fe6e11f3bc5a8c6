#include "parallel_lines.hpp"

#include <program/text.hpp>

#include <fovea/base/error.hpp>
#include <fovea/runtime/tokenizers/tokenizer_trainer.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace train_translator {

using namespace fovea;

namespace {

std::size_t longest_of(const std::vector<token_ids>& lines) {
  std::size_t longest = 0;
  for (const token_ids& line : lines) longest = std::max(longest, line.size());
  return longest;
}

} // namespace

parallel_lines parallel_lines::part(std::size_t first, std::size_t last) const {
  const auto of = [&](const std::vector<std::string>& lines) {
    return std::vector(lines.begin() + static_cast<std::ptrdiff_t>(first),
                       lines.begin() + static_cast<std::ptrdiff_t>(last));
  };
  return {of(source), of(target)};
}

parallel_lines read_parallel_lines(const std::filesystem::path& source, const std::filesystem::path& target) {
  const auto lines_of = [](const std::filesystem::path& file) {
    auto lines = program::lines_of(file.string());
    if (lines.empty()) throw error(file.string() + ": expected lines to learn from, found none");
    return lines;
  };
  parallel_lines read{lines_of(source), lines_of(target)};
  if (read.source.size() != read.target.size())
    throw error(fmt::format("expected line n of one file to translate line n of the other, found {} lines in "
                            "{} and {} in {}",
                            read.source.size(), source.string(), read.target.size(), target.string()));
  return read;
}

tokenizer vocabulary_of(const std::vector<std::string>& lines, std::size_t size,
                        const std::filesystem::path& file) {
  tokenizer_trainer trainer(word_training{
      .size = size, .minimum_count = 2, .special = {"<pad>", "<s>", "</s>", "<unk>"}, .punctuation = true});
  for (const std::string& line : lines) trainer.add(line);
  try {
    return trainer.train();
  } catch (const error& problem) {
    throw error(file.string() + ": " + problem.what());
  }
}

std::vector<std::size_t> token_pairs::lengths() const {
  std::vector<std::size_t> made;
  for (std::size_t i = 0; i < size(); ++i) made.push_back(source[i].size() + read[i].size());
  return made;
}
std::size_t token_pairs::longest_source() const { return longest_of(source); }
std::size_t token_pairs::longest_target() const { return longest_of(read); }

token_pairs pairs_of(const parallel_lines& lines, const tokenizer& source, const tokenizer& target,
                     std::size_t longest) {
  token_pairs made;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    token_ids from = source.encode(lines.source[i]).ids, to = target.encode(lines.target[i]).ids;
    if (from.empty() || to.empty() || std::max(from.size(), to.size()) > longest) continue;
    from.push_back(end);
    token_ids read{begin};
    read.insert(read.end(), to.begin(), to.end());
    to.push_back(end);
    made.source.push_back(std::move(from));
    made.read.push_back(std::move(read));
    made.written.push_back(std::move(to));
  }
  return made;
}

} // namespace train_translator
