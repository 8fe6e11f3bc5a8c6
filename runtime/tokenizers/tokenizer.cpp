#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <fovea/runtime/error.hpp>
#include <fovea/runtime/tokenizers/byte_level.hpp>
#include <fovea/runtime/tokenizers/state.hpp>
#include <fovea/runtime/tokenizers/utf8.hpp>

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>
#include <variant>

namespace fovea {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

/// The clean-up of Hugging Face's WordPiece decoder, in its order.
void clean_up(std::string& text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 11> rules{{{" .", "."},
                                                                                 {" ?", "?"},
                                                                                 {" !", "!"},
                                                                                 {" ,", ","},
                                                                                 {" ' ", "'"},
                                                                                 {" n't", "n't"},
                                                                                 {" 'm", "'m"},
                                                                                 {" do not", " don't"},
                                                                                 {" 's", "'s"},
                                                                                 {" 've", "'ve"},
                                                                                 {" 're", "'re"}}};
  for (const auto& [from, to] : rules) replace_all(text, from, to);
}

struct decode_tokens {
  const std::vector<std::string_view>& tokens;

  std::string operator()(const space_decoder&) const {
    std::string text;
    for (std::size_t i = 0; i < tokens.size(); ++i) (text += i ? " " : "") += tokens[i];
    return text;
  }
  std::string operator()(const byte_level_decoder&) const {
    std::string bytes;
    for (const std::string_view token : tokens) append_token_bytes(token, bytes);
    return utf8_or_replacement(bytes);
  }
  std::string operator()(const word_piece_decoder& decoder) const {
    std::string text, piece;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      piece = tokens[i];
      if (i > 0) {
        if (piece.starts_with(decoder.continuation))
          piece.erase(0, decoder.continuation.size());
        else
          piece.insert(0, " ");
      }
      if (decoder.clean_up) clean_up(piece);
      text += piece;
    }
    return text;
  }
};

encoding fill(const encoding_template& form, bool special, std::span<const token_id> first,
              std::span<const token_id> second) {
  using kind = encoding_template::piece::kind;
  encoding result;
  for (const auto& piece : form.pieces) {
    const std::span<const token_id> ids = piece.what == kind::first_text    ? first
                                          : piece.what == kind::second_text ? second
                                          : special ? std::span<const token_id>(piece.ids)
                                                    : std::span<const token_id>();
    result.ids.insert(result.ids.end(), ids.begin(), ids.end());
    result.type_ids.insert(result.type_ids.end(), ids.size(), piece.type);
  }
  return result;
}

/// How many tokens of the texts a limit leaves room for; no limit is the greatest number.
std::size_t room(const encoding_template& form, encode_options options) {
  if (options.max_length == 0) return ~std::size_t{0};
  const std::size_t special = options.special ? form.special_count() : 0;
  if (options.max_length < special)
    throw error("max_length: expected room for " + std::to_string(special) + " special tokens; found " +
                std::to_string(options.max_length));
  return options.max_length - special;
}

/// Calls word(text) for each word of a normalised text.
template <typename function>
void for_each_word(const bert_splitter&, std::string_view text, const function& word) {
  for (std::size_t at = 0; at < text.size();)
    if (const auto found = next_bert_word(text, at); !found.empty()) word(found);
}

template <typename function>
void for_each_word(const byte_level_splitter& splitter, std::string_view text, const function& word) {
  std::string prefixed;
  if (splitter.prefix_space && !text.starts_with(' ')) {
    prefixed.append(" ").append(text);
    text = prefixed;
  }
  if (!splitter.use_pattern) {
    word(text);
    return;
  }
  for (std::size_t at = 0; at < text.size();) word(next_gpt2_word(text, at));
}

} // namespace

std::vector<token_id> tokenizer::words_of(std::string_view text) const {
  check_utf8(text);
  std::vector<token_id> ids;
  ids.reserve(text.size() / 4 + 1);
  const auto split_word = [this](std::string_view word, std::vector<token_id>& to) {
    if (const auto* pieces = std::get_if<word_piece>(&state_->model))
      pieces->append(word, to);
    else
      std::get<byte_pair>(state_->model).append(word, to);
  };
  // One thread at a time uses the cache; another goes without rather than wait.
  const std::unique_lock cache_lock(state_->cache_guard, std::try_to_lock);
  const auto append_word = [&](std::string_view word) {
    if (cache_lock.owns_lock())
      state_->cache.append(word, ids, split_word);
    else
      split_word(word, ids);
  };
  std::vector<added_tokens::part> parts, normalized_parts;
  std::string normalized;
  state_->raw_tokens.split(text, parts);
  for (const auto& part : parts) {
    if (part.id) {
      ids.push_back(*part.id);
      continue;
    }
    std::string_view plain = part.text;
    if (const auto& normalizer = state_->normalizer) {
      normalized.clear();
      normalizer->append(part.text, normalized);
      plain = normalized;
    }
    normalized_parts.clear();
    state_->normalized_tokens.split(plain, normalized_parts);
    for (const auto& inner : normalized_parts) {
      if (inner.id)
        ids.push_back(*inner.id);
      else
        std::visit([&](const auto& splitter) { for_each_word(splitter, inner.text, append_word); },
                   state_->splitter);
    }
  }
  return ids;
}

encoding tokenizer::encode(std::string_view text, encode_options options) const {
  const std::size_t most = room(state_->single, options);
  const auto ids = words_of(text);
  return fill(state_->single, options.special, std::span(ids).first(std::min(ids.size(), most)), {});
}

encoding tokenizer::encode_pair(std::string_view first, std::string_view second,
                                encode_options options) const {
  const std::size_t most = room(state_->pair, options);
  const auto first_ids = words_of(first), second_ids = words_of(second);
  std::size_t shorter = std::min(first_ids.size(), second_ids.size());
  std::size_t longer = std::max(first_ids.size(), second_ids.size());
  // "Longest first" of Hugging Face tokenizers: the longer text gives way down to the shorter one's length,
  // then both.
  if (shorter + longer > most) {
    longer = shorter > most ? shorter : std::max(shorter, most - shorter);
    if (shorter + longer > most) {
      shorter = most / 2;
      longer = shorter + most % 2;
    }
  }
  const bool first_is_longer = first_ids.size() > second_ids.size();
  return fill(state_->pair, options.special, std::span(first_ids).first(first_is_longer ? longer : shorter),
              std::span(second_ids).first(first_is_longer ? shorter : longer));
}

std::string tokenizer::decode(std::span<const token_id> ids, bool skip_special) const {
  std::vector<std::string_view> tokens;
  for (const token_id id : ids) {
    const std::string_view text = token(id);
    if (!text.empty() && !(skip_special && state_->special.contains(id))) tokens.push_back(text);
  }
  return std::visit(decode_tokens{tokens}, state_->decoder);
}

std::size_t tokenizer::vocabulary_size() const { return state_->tokens.size(); }
std::optional<token_id> tokenizer::id(std::string_view token) const { return state_->tokens.id(token); }

std::string_view tokenizer::token(token_id id) const {
  if (id < 0 || static_cast<std::size_t>(id) >= state_->tokens.size())
    throw error("token id: expected 0 to " + std::to_string(state_->tokens.size() - 1) + "; found " +
                std::to_string(id));
  return state_->tokens.token(id);
}

} // namespace fovea
