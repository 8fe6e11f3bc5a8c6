#include "speller.hpp"
#include "network.hpp"

#include <trained/folder.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/utf8.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace transcribe_program {
namespace {

std::vector<std::string> characters_of(const std::string& text) {
  fovea::core::check_utf8(text);
  std::vector<std::string> made;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = fovea::core::code_point_at(text, at).bytes;
    made.push_back(text.substr(at, bytes));
    at += bytes;
  }
  return made;
}

} // namespace

speller::speller(const std::vector<std::string>& texts, const std::string& file) {
  std::set<std::string> all;
  for (const std::string& text : texts)
    for (std::string& c : characters_of(text)) all.insert(std::move(c));
  if (all.size() > sizes::characters)
    throw fovea::error(fmt::format("{}: expected at most {} different characters, found {}", file,
                                   sizes::characters, all.size()));
  characters_.assign(all.begin(), all.end());
}

speller::speller(const std::filesystem::path& file) {
  const nlohmann::json list = trained::read_json(file);
  const bool fits = list.is_array() && list.size() <= sizes::characters &&
                    std::ranges::all_of(list, [](const auto& c) { return c.is_string(); });
  if (!fits)
    throw fovea::error(fmt::format("{}: expected a list of at most {} characters, as train_speech writes it",
                                   file.string(), sizes::characters));
  characters_ = list.get<std::vector<std::string>>();
}

std::vector<std::int32_t> speller::labels_of(const std::string& text) const {
  std::vector<std::int32_t> made;
  for (const std::string& c : characters_of(text)) {
    const auto at = std::ranges::find(characters_, c);
    if (at == characters_.end())
      throw fovea::error(fmt::format("expected characters that were learned, found '{}'", c));
    made.push_back(static_cast<std::int32_t>(at - characters_.begin()) + 1);
  }
  return made;
}

std::string speller::text_of(std::int32_t label) const {
  const auto i = static_cast<std::size_t>(label) - 1;
  return label > 0 && i < characters_.size() ? characters_[i] : "";
}
std::string speller::text_of(const std::vector<std::int32_t>& labels) const {
  std::string text;
  for (const std::int32_t label : labels) text += text_of(label);
  return text;
}

std::size_t edits_between(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t before = row[0]++; // of a's first i and b's first j
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = before + (a[i] == b[j] ? 0 : 1);
      before = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

} // namespace transcribe_program
