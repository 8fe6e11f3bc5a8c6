#include "text_units.hpp"

#include <fovea/base/error.hpp>
#include <fovea/base/mapped_file.hpp>
#include <fovea/base/utf8.hpp>

#include <unordered_map>

namespace ngram_program {

using fovea::token_id;

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  const fovea::core::mapped_file file(path, {.copy = true});
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  try {
    fovea::core::check_utf8(text);
  } catch (const fovea::error& problem) {
    throw fovea::error(path.string() + ": " + problem.what());
  }
  std::vector<std::string> lines;
  for (std::size_t first = 0; first < text.size();) {
    const std::size_t last = std::min(text.find('\n', first), text.size());
    const std::string_view line = text.substr(first, last - first);
    if (!units_of(line, unit::word).empty()) lines.emplace_back(line);
    first = last + 1;
  }
  if (lines.empty()) throw fovea::error(path.string() + ": expected a text; found no words");
  return lines;
}

std::vector<std::string> units_of(std::string_view line, unit of) {
  std::vector<std::string> units;
  bool in_word = false;
  for (std::size_t at = 0; at < line.size();) {
    const auto [value, bytes] = fovea::core::code_point_at(line, at);
    const std::string_view character = line.substr(at, bytes);
    at += bytes;
    if (fovea::core::is_white_space(value)) {
      in_word = false;
      continue;
    }
    if (of == unit::character && !in_word && !units.empty()) units.emplace_back(" ");
    if (of == unit::character || !in_word)
      units.emplace_back(character);
    else
      units.back() += character;
    in_word = true;
  }
  return units;
}

text_units::text_units(std::span<const std::string> lines, unit of, std::size_t least) : of_(of) {
  for (const char* special : {"<s>", "</s>", "<unk>"}) ids_.add(special, static_cast<token_id>(ids_.size()));
  std::unordered_map<std::string, std::size_t> seen;
  for (const std::string& line : lines)
    for (std::string& word : units_of(line, of)) ++seen[std::move(word)];
  for (const std::string& line : lines)
    for (const std::string& word : units_of(line, of))
      if (seen[word] >= least && !ids_.id(word)) ids_.add(word, static_cast<token_id>(ids_.size()));
}

fovea::token_ids text_units::ids(std::string_view line) const {
  fovea::token_ids found;
  for (const std::string& word : units_of(line, of_)) {
    const token_id id = ids_.id(word).value_or(unknown);
    found.push_back(id == start || id == end ? unknown : id); // spelt out in the text
  }
  return found;
}

std::string text_units::text(std::span<const token_id> ids) const {
  std::string line;
  for (const token_id id : ids) {
    if (id == start || id == end) continue;
    if (of_ == unit::word && !line.empty()) line += ' ';
    line += ids_.token(id);
  }
  return line;
}

} // namespace ngram_program
