#include "character_model.hpp"
#include "speller.hpp"

#include <trained/folder.hpp>

#include <fovea/fovea.hpp>
#include <fovea/runtime/decoding/generate.hpp>
#include <fovea/runtime/decoding/log_probability.hpp>
#include <fovea/runtime/decoding/stream_reader.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>

namespace char_lm_program {

using namespace fovea;
using namespace fovea::core;

namespace {

constexpr dim T{"T"};
const auto& model = models::char_lm<sizes>;
constexpr token_id line_end = 2, unknown = 3; // as train.py numbers them
constexpr std::int64_t step_words = 64, most_samples = 64;

constexpr std::size_t length = sizes.word_length;

std::vector<std::string> characters_in(const std::filesystem::path& file) {
  try {
    std::vector<std::string> characters = trained::read_json(file);
    if (characters.size() + speller::first > static_cast<std::size_t>(sizes.characters))
      throw error(file.string() + ": expected at most " + std::to_string(sizes.characters - speller::first) +
                  " characters, found " + std::to_string(characters.size()));
    return characters;
  } catch (const nlohmann::json::exception&) {
    throw error(file.string() + ": expected a list of characters");
  }
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

double log_probability_of(const float* scores, std::size_t count, token_id id) {
  const float largest = *std::max_element(scores, scores + count);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += std::exp(static_cast<double>(scores[i] - largest));
  return static_cast<double>(scores[id] - largest) - std::log(sum);
}

} // namespace

nlohmann::json sizes_as_json() {
  std::vector<int> widths, filters;
  for (std::size_t i = 0; i < sizes.widths.size() && sizes.widths[i] > 0; ++i)
    widths.push_back(sizes.widths[i]), filters.push_back(sizes.filters[i]);
  return {{"model", "char_lm"},
          {"characters", sizes.characters},
          {"character_width", sizes.character_width},
          {"word_length", sizes.word_length},
          {"widths", widths},
          {"filters", filters},
          {"highways", sizes.highways},
          {"vocab", sizes.vocab},
          {"hidden", sizes.hidden},
          {"layers", sizes.layers}};
}

struct character_model::state {
  tokenizer words;
  speller characters;
  decltype(stream<T>(model, std::declval<const model_weights&>(), {})) live;

  token_id id_of(const std::string& word) const {
    const std::optional<token_id> id = words.id(word);
    return word == "</s>" ? line_end : id && *id > unknown ? *id : unknown;
  }
};

character_model::character_model(const std::filesystem::path& folder) {
  trained::check_folder(folder, sizes_as_json(), {"words.json", "characters.json"});
  state_ = std::make_unique<state>(
      state{load_tokenizer(folder / "words.json"), speller(characters_in(folder / "characters.json")),
            stream<T>(model, load_weights(folder / "weights.safetensors", {.copy = true}),
                      {.capacity = {{"B", most_samples}, {"T", step_words}}})});
}
character_model::~character_model() = default;

measured character_model::measure(const std::vector<std::string>& lines) {
  std::vector<std::string> text;
  for (const std::string& line : lines) {
    const std::vector<std::string> words = words_of(line);
    if (words.empty()) continue;
    text.insert(text.end(), words.begin(), words.end());
    text.emplace_back("</s>");
  }
  if (text.empty()) throw error("there are no words to read");
  measured result{.words = text.size()};
  double sum = 0;
  state_->live.begin();
  std::string before = "</s>";
  for (std::size_t first = 0; first < text.size();) {
    const std::size_t count = std::min(text.size() - first, static_cast<std::size_t>(step_words));
    xt::xtensor<int, 3> characters = xt::zeros<int>({std::size_t{1}, count, length});
    for (std::size_t i = 0; i < count; ++i) {
      const spelt ids = state_->characters.spell(before);
      std::copy(ids.begin(), ids.end(), &characters(0, i, 0));
      before = text[first + i];
    }
    const auto out = state_->live.step("characters"_in = characters);
    const auto logits = out["logits"_out];
    for (std::size_t i = 0; i < count; ++i) {
      const token_id id = state_->id_of(text[first + i]);
      result.unknown += id == unknown ? 1 : 0;
      sum += log_probability_of(&logits(0, i, 0), static_cast<std::size_t>(sizes.vocab), id);
    }
    first += count;
  }
  result.perplexity = std::exp(-sum / static_cast<double>(text.size()));
  return result;
}

std::vector<std::string> character_model::write(const std::string& prompt, const sampling_options& how,
                                                std::size_t most_words) {
  // Words of the prompt that the network cannot write have ids behind the others; it reads their characters.
  std::vector<std::string> beyond;
  token_ids ids{line_end};
  for (const std::string& word : words_of(prompt)) {
    const token_id id = state_->id_of(word);
    ids.push_back(id == unknown ? static_cast<token_id>(sizes.vocab) + static_cast<token_id>(beyond.size())
                                : id);
    if (id == unknown) beyond.push_back(word);
  }
  const auto word_of = [&](token_id id) -> std::string {
    if (id >= sizes.vocab) return beyond[static_cast<std::size_t>(id - sizes.vocab)];
    return static_cast<std::size_t>(id) < state_->words.vocabulary_size()
               ? std::string(state_->words.token(id))
               : "<unk>";
  };
  xt::xtensor<float, 3> scores;
  constexpr float impossible = -std::numeric_limits<float>::infinity();
  stream_reader reader(state_->live, [&](auto& s, const auto& read) {
    auto characters = xt::xtensor<int, 3>::from_shape({read.shape()[0], read.shape()[1], length});
    for (std::size_t i = 0; i < read.size(); ++i) {
      const spelt of = state_->characters.spell(word_of(read.data()[i]));
      std::copy(of.begin(), of.end(), characters.data() + i * length);
    }
    // What is written are words that can be spelt, and line ends.
    scores = s.step("characters"_in = characters)["logits"_out];
    for (std::size_t i = 0; i < read.size(); ++i) {
      float* row = scores.data() + i * static_cast<std::size_t>(sizes.vocab);
      row[0] = row[1] = row[unknown] = impossible;
      std::fill(row + state_->words.vocabulary_size(), row + sizes.vocab, impossible);
    }
    return xt::adapt(scores.data(), scores.size(), xt::no_ownership(), scores.shape());
  });
  std::vector<std::string> texts;
  for (const hypothesis& h : sample(reader, ids, how, {.max_tokens = most_words, .end = {line_end}})) {
    std::string text = prompt;
    for (const token_id id : h.ids)
      if (id != line_end) text += (text.empty() ? "" : " ") + word_of(id);
    texts.push_back(text + (h.ended == ended_by::length ? " ..." : ""));
  }
  return texts;
}

} // namespace char_lm_program
