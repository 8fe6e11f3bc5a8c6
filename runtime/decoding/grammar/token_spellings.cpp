#include <fovea/runtime/decoding/grammar/token_spellings.hpp>

#include <fovea/runtime/tokenizers/decoder.hpp>
#include <fovea/runtime/tokenizers/state.hpp>

#include <unordered_map>
#include <utility>
#include <variant>

namespace fovea::core {
namespace grammar {

spelled_tokens::spelled_tokens(const tokenizer& words, bool first) {
  const tokenizer::state& stages = words.stages();
  const std::size_t count = stages.tokens.size();
  begins_.reserve(count + 1);
  for (std::size_t i = 0; i < count; ++i) {
    const auto id = static_cast<token_id>(i);
    begins_.push_back(static_cast<std::uint32_t>(text_.size()));
    const std::string_view token = stages.tokens.token(id);
    if (!token.empty() && !stages.special.contains(id)) append_decoded(stages.decode, token, first, text_);
  }
  begins_.push_back(static_cast<std::uint32_t>(text_.size()));

  has_alike_.resize(count);
  std::unordered_map<std::string_view, token_id> heads;
  heads.reserve(count);
  for (std::size_t i = count; i-- > 0;) {
    const auto id = static_cast<token_id>(i);
    if (bytes(id).empty()) continue;
    const auto [found, is_new] = heads.try_emplace(bytes(id), id);
    if (is_new) continue;
    has_alike_[i] = true;
    alike_[id] = std::exchange(found->second, id);
  }
  trie_ = token_trie({heads.begin(), heads.end()});
}

} // namespace grammar

namespace {

/// Whether a token that begins a text is spelled as any other.
bool spells_alike(const decoder& how) {
  return std::holds_alternative<plain_decoder>(how) || std::holds_alternative<byte_level_decoder>(how);
}

} // namespace

token_spellings::token_spellings(const tokenizer& words)
    : first_(std::make_shared<grammar::spelled_tokens>(words, true)),
      later_(spells_alike(words.stages().decode) ? first_
                                                 : std::make_shared<grammar::spelled_tokens>(words, false)) {}

} // namespace fovea::core
