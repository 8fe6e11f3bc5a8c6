#include <fovea/runtime/tokenizers/tokenizer_trainer.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/utf8.hpp>
#include <fovea/runtime/tokenizers/pair_merges.hpp>
#include <fovea/runtime/tokenizers/scored_pieces.hpp>
#include <fovea/runtime/tokenizers/state.hpp>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace fovea::core {
namespace {

constexpr const char* continuation = "##";

normalizer normalizer_of(const tokenizer_training& how) {
  if (const auto* pieces = std::get_if<word_piece_training>(&how))
    return {bert_normalizer{.strip_accents = pieces->lower_case, .lowercase = pieces->lower_case}};
  if (const auto* words = std::get_if<word_training>(&how); words && words->lower_case) return {lower_case()};
  return {};
}

struct splitter_of {
  splitter operator()(const byte_pair_training& how) const {
    return byte_level_splitter{.prefix_space = how.prefix_space, .words = byte_level_splitter::pattern::gpt2};
  }
  splitter operator()(const word_piece_training&) const { return bert_splitter(); }
  splitter operator()(const word_training& how) const {
    return how.punctuation ? splitter(bert_splitter()) : splitter(white_space_splitter());
  }
  splitter operator()(const character_training&) const { return whole_splitter(); }
};

std::vector<std::string> with_unknown(std::vector<std::string> special, const std::string& unknown) {
  if (!unknown.empty() && std::ranges::find(special, unknown) == special.end())
    special.insert(special.begin(), unknown);
  return special;
}

/// The special tokens, checked as the vocabulary checks them.
std::vector<std::string> special_of(const tokenizer_training& how) {
  std::vector<std::string> special = std::visit([](const auto& h) { return h.special; }, how);
  if (const auto* pieces = std::get_if<word_piece_training>(&how)) {
    if (pieces->unknown.empty()) throw error("training: WordPiece needs an unknown token");
    special = with_unknown(std::move(special), pieces->unknown);
  }
  if (const auto* words = std::get_if<word_training>(&how)) special = with_unknown(special, words->unknown);
  if (const auto* letters = std::get_if<character_training>(&how))
    special = with_unknown(special, letters->unknown);
  tokenizer::state trial;
  for (std::size_t id = 0; id < special.size(); ++id)
    add_token(trial, special[id], static_cast<token_id>(id));
  return special;
}

/// A vocabulary with its special tokens in front.
std::shared_ptr<tokenizer::state> state_of(const std::vector<std::string>& tokens,
                                           const std::vector<std::string>& special) {
  auto made = std::make_shared<tokenizer::state>();
  for (std::size_t id = 0; id < tokens.size(); ++id)
    made->tokens.add(tokens[id], static_cast<std::int64_t>(id));
  std::vector<added_token> spelt_out;
  for (std::size_t i = 0; i < special.size(); ++i) {
    const auto id = static_cast<token_id>(i);
    made->special.insert(id);
    spelt_out.push_back({.content = special[i], .id = id, .special = true});
  }
  made->raw_tokens = added_tokens(std::move(spelt_out));
  return made;
}

/// The special tokens, and behind them the units that are none of them.
std::vector<std::string> joined(const std::vector<std::string>& special, std::vector<std::string> units) {
  std::erase_if(units,
                [&](const std::string& unit) { return std::ranges::find(special, unit) != special.end(); });
  units.insert(units.begin(), special.begin(), special.end());
  return units;
}

/// The 256 bytes in GPT-2's printable alphabet, in the order of its characters.
std::vector<std::string> printable_alphabet() {
  std::vector<std::uint32_t> characters;
  for (int byte = 0; byte < 256; ++byte)
    characters.push_back(byte_character(static_cast<unsigned char>(byte)));
  std::ranges::sort(characters);
  std::vector<std::string> spelt(characters.size());
  for (std::size_t i = 0; i < spelt.size(); ++i) append_utf8(spelt[i], characters[i]);
  return spelt;
}

/// The characters of the words by code point; of more than `most`, those that occur most often.
std::vector<std::string> characters_of(const counted_words& words, std::size_t most) {
  std::map<std::uint32_t, std::uint64_t> seen;
  for (const auto& [word, count] : words)
    for (std::size_t at = 0; at < word.size();) {
      const auto [value, bytes] = code_point_at(word, at);
      seen[value] += count;
      at += bytes;
    }
  std::vector<std::pair<std::uint32_t, std::uint64_t>> order(seen.begin(), seen.end());
  if (order.size() > most) {
    std::ranges::stable_sort(order, std::greater<>(), [](const auto& entry) { return entry.second; });
    order.resize(most);
    std::ranges::sort(order);
  }
  std::vector<std::string> characters(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) append_utf8(characters[i], order[i].first);
  return characters;
}

/// Makes the tokenizer of the words that were counted.
struct make {
  const counted_words& words;
  const std::vector<std::string>& special;
  const training_progress& progress;

  learnt_merges learnt(const counted_words& spelt, const std::vector<std::string>& characters,
                       std::size_t size, std::size_t minimum_count, const char* front) const {
    std::vector<std::string> tokens = joined(special, characters);
    if (tokens.size() > size)
      throw error("training: expected a size of at least " + std::to_string(tokens.size()) +
                  ", for the special tokens and the single characters; found " + std::to_string(size));
    return learn_merges(
        spelt, std::move(tokens),
        {.size = size, .minimum_count = minimum_count, .continuation = front, .progress = progress});
  }

  tokenizer operator()(const byte_pair_training& how) const {
    counted_words spelt;
    for (const auto& [word, count] : words) spelt.emplace_back(printable_bytes(word), count);
    const learnt_merges found = learnt(spelt, printable_alphabet(), how.size, how.minimum_count, "");
    byte_pair::merge_list merges;
    for (const auto& [left, right] : found.pairs)
      merges.emplace_back(found.tokens[static_cast<std::size_t>(left)],
                          found.tokens[static_cast<std::size_t>(right)]);
    auto made = state_of(found.tokens, special);
    made->split = splitter_of()(how);
    made->decode = byte_level_decoder();
    made->model.emplace<byte_pair>(made->tokens, merges, byte_pair::settings{});
    return tokenizer(std::move(made));
  }

  tokenizer operator()(const word_piece_training& how) const {
    const auto characters = characters_of(words, how.characters);
    auto made =
        state_of(learnt(words, characters, how.size, how.minimum_count, continuation).tokens, special);
    made->normalize = normalizer_of(how);
    made->split = splitter_of()(how);
    made->decode = word_piece_decoder{continuation, true};
    constexpr std::size_t longest_word = 100;
    made->model.emplace<word_piece>(made->tokens, how.unknown, continuation, longest_word);
    const auto front = made->tokens.id("[CLS]"), back = made->tokens.id("[SEP]");
    if (front && back) put_around(*made, front, back);
    return tokenizer(std::move(made));
  }

  tokenizer operator()(const word_training& how) const {
    counted_words order = words;
    std::ranges::stable_sort(order, std::greater<>(), [](const auto& entry) { return entry.second; });
    std::vector<std::string> tokens = special;
    for (const auto& [word, count] : order) {
      if (count < how.minimum_count || (how.size != 0 && tokens.size() >= how.size)) break;
      if (std::ranges::find(special, word) == special.end()) tokens.push_back(word);
    }
    auto made = state_of(tokens, special);
    made->normalize = normalizer_of(how);
    made->split = splitter_of()(how);
    made->model.emplace<whole_word>(made->tokens, made->tokens.id(how.unknown));
    return tokenizer(std::move(made));
  }

  tokenizer operator()(const character_training& how) const {
    std::vector<std::string> characters;
    for (const auto& [character, count] : words) characters.push_back(character);
    auto made = state_of(joined(special, std::move(characters)), special);
    made->decode = plain_decoder();
    made->model.emplace<byte_pair>(made->tokens, byte_pair::merge_list{},
                                   byte_pair::settings{.over = byte_pair::settings::unit::character,
                                                       .unknown = made->tokens.id(how.unknown)});
    return tokenizer(std::move(made));
  }
};

struct text_hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

} // namespace

struct tokenizer_trainer::counts {
  tokenizer_training how;
  std::vector<std::string> special = special_of(how);
  normalizer normalize = normalizer_of(how);
  splitter split = std::visit(splitter_of(), how);
  std::unordered_map<std::string, std::uint64_t, text_hash, std::equal_to<>> words{};

  void add(std::string_view word) {
    if (const auto found = words.find(word); found != words.end())
      ++found->second;
    else
      words.emplace(word, 1);
  }
};

tokenizer_trainer::tokenizer_trainer(tokenizer_training how)
    : counts_(std::make_unique<counts>(counts{.how = std::move(how)})) {}
tokenizer_trainer::~tokenizer_trainer() = default;
tokenizer_trainer::tokenizer_trainer(tokenizer_trainer&&) noexcept = default;
tokenizer_trainer& tokenizer_trainer::operator=(tokenizer_trainer&&) noexcept = default;

void tokenizer_trainer::add(std::string_view text) {
  check_utf8(text);
  const std::string normal = normalized(counts_->normalize, text);
  const bool characters = std::holds_alternative<character_training>(counts_->how);
  const auto word = [&](std::string_view found) {
    if (!characters) return counts_->add(found);
    for (std::size_t at = 0; at < found.size(); at += code_point_at(found, at).bytes)
      counts_->add(found.substr(at, code_point_at(found, at).bytes));
  };
  std::visit(for_each_word{normal, true, word}, counts_->split);
}

tokenizer tokenizer_trainer::train(const training_progress& progress) const {
  if (counts_->words.empty()) throw error("training: expected a text with words; found none");
  counted_words words(counts_->words.begin(), counts_->words.end());
  std::ranges::sort(words);
  return std::visit(make{words, counts_->special, progress}, counts_->how);
}

tokenizer byte_tokenizer(const std::vector<std::string>& special) {
  std::vector<std::string> tokens = special;
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    tokens.push_back(printable_bytes({&c, 1}));
  }
  auto made = state_of(tokens, special);
  made->split = byte_level_splitter{.prefix_space = false, .words = byte_level_splitter::pattern::none};
  made->decode = byte_level_decoder();
  made->model.emplace<byte_pair>(made->tokens, byte_pair::merge_list{}, byte_pair::settings{});
  return tokenizer(std::move(made));
}

} // namespace fovea::core
