#include "words.hpp"

#include <program/text.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/utf8.hpp>
#include <fovea/runtime/tokenizers/tokenizer_trainer.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace train_lm {

using namespace fovea;
using namespace fovea::core;

token_text word_numbers::read(const std::filesystem::path& file) {
  token_ids text;
  const auto add = [&](const std::string& word) {
    const auto [found, is_new] = numbers_.emplace(word, static_cast<token_id>(different_.size()));
    if (is_new) different_.push_back(word);
    text.push_back(found->second);
  };
  for (const std::string& line : program::lines_of(file.string())) {
    std::istringstream in(line);
    std::string word;
    if (!(in >> word)) continue;
    do add(word);
    while (in >> word);
    add("</s>");
  }
  if (text.empty()) throw error(file.string() + ": there are no words to read");
  return token_text(std::move(text));
}

word_texts::word_texts(const arguments& a) : learned(token_ids{}), held_out(token_ids{}), test(token_ids{}) {
  learned = numbers.read(a.text);
  if (a.held_out.empty()) {
    const auto kept = static_cast<std::size_t>((1 - a.validation) * static_cast<double>(learned.size()));
    held_out = learned.part(kept, learned.size());
    learned = learned.part(0, kept);
  } else {
    held_out = numbers.read(a.held_out);
  }
  if (!a.test.empty()) test = numbers.read(a.test);
}

std::vector<std::string> word_texts::learned_words() const {
  const std::vector<std::string>& different = numbers.different();
  std::vector<std::int32_t> all(learned.size());
  learned.copy(0, all, different.size());
  std::vector<std::string> words;
  for (const std::int32_t number : all)
    if (const std::string& word = different[static_cast<std::size_t>(number)]; word != "</s>")
      words.push_back(word);
  return words;
}

tokenizer vocabulary_of(const std::vector<std::string>& text, std::size_t size) {
  tokenizer_trainer trainer(
      word_training{.size = size, .minimum_count = 2, .special = {"<pad>", "<s>", "</s>", "<unk>"}});
  for (const std::string& word : text) trainer.add(word);
  return trainer.train();
}

token_ids ids_of(const std::vector<std::string>& different, const tokenizer& words) {
  token_ids ids;
  for (const std::string& word : different) {
    const std::optional<token_id> id = words.id(word);
    ids.push_back(word == "</s>" ? line_end : id && *id > unknown_word ? *id : unknown_word);
  }
  return ids;
}

std::vector<std::string> characters_of(const std::vector<std::string>& text, std::size_t count) {
  std::map<std::string, std::size_t> seen;
  for (const std::string& word : std::set<std::string>(text.begin(), text.end()))
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t bytes = code_point_at(word, at).bytes;
      ++seen[word.substr(at, bytes)];
      at += bytes;
    }
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const auto& [character, n] : seen) ranked.emplace_back(n, character);
  std::ranges::stable_sort(ranked, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> characters;
  for (std::size_t i = 0; i < std::min(count, ranked.size()); ++i) characters.push_back(ranked[i].second);
  return characters;
}

} // namespace train_lm
