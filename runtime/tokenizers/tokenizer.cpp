#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/utf8.hpp>
#include <fovea/runtime/tokenizers/state.hpp>

#include <algorithm>
#include <mutex>
#include <variant>

namespace fovea::core {
namespace {

token_encoding fill(const encoding_template& form, bool special, std::span<const token_id> first,
                    std::span<const token_id> second) {
  using kind = encoding_template::piece::kind;
  token_encoding result;
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

/// Appends the ids of one word by the model in use.
struct append_word_ids {
  std::string_view word;
  std::vector<token_id>& ids;

  void operator()(std::monostate) const {}
  void operator()(const auto& model) const { model.append(word, ids); }
};

} // namespace

std::vector<token_id> tokenizer::words_of(std::string_view text) const {
  check_utf8(text);
  std::vector<token_id> ids;
  ids.reserve(text.size() / 4 + 1);
  const auto split_word = [this](std::string_view word, std::vector<token_id>& to) {
    std::visit(append_word_ids{word, to}, state_->model);
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
  std::string normal;
  state_->raw_tokens.split(text, parts);
  for (const auto& part : parts) {
    if (part.id) {
      ids.push_back(*part.id);
      continue;
    }
    std::string_view plain = part.text;
    if (!state_->normalize.empty()) {
      normal = normalized(state_->normalize, part.text);
      plain = normal;
    }
    normalized_parts.clear();
    state_->normalized_tokens.split(plain, normalized_parts);
    for (const auto& inner : normalized_parts) {
      if (inner.id)
        ids.push_back(*inner.id);
      else
        std::visit(for_each_word{inner.text,
                                 part.text.data() == text.data() && inner.text.data() == plain.data(),
                                 append_word},
                   state_->split);
    }
  }
  return ids;
}

token_encoding tokenizer::encode(std::string_view text, encode_options options) const {
  const std::size_t most = room(state_->single, options);
  const auto ids = words_of(text);
  return fill(state_->single, options.special, std::span(ids).first(std::min(ids.size(), most)), {});
}

token_encoding tokenizer::encode_pair(std::string_view first, std::string_view second,
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

/// Appends the bytes of one more token; `first`: no token stands in front of it yet.
void tokenizer::append_text(token_id id, bool skip_special, bool& first, std::string& bytes) const {
  const std::string_view spelt = token(id);
  if (spelt.empty() || (skip_special && state_->special.contains(id))) return;
  if (append_decoded(state_->decode, spelt, first, bytes)) first = false;
}

std::string tokenizer::decode(std::span<const token_id> ids, bool skip_special) const {
  std::string bytes;
  bool first = true;
  for (const token_id id : ids) append_text(id, skip_special, first, bytes);
  return utf8_or_replacement(bytes);
}

std::size_t tokenizer::vocabulary_size() const { return state_->tokens.size(); }
std::optional<token_id> tokenizer::id(std::string_view token) const { return state_->tokens.id(token); }

std::string_view tokenizer::token(token_id id) const {
  if (id < 0 || static_cast<std::size_t>(id) >= state_->tokens.size())
    throw error("token id: expected 0 to " + std::to_string(state_->tokens.size() - 1) + "; found " +
                std::to_string(id));
  return state_->tokens.token(id);
}

} // namespace fovea::core
