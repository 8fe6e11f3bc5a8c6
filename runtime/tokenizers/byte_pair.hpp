#pragma once

#include <fovea/runtime/tokenizers/lying_table.hpp>
#include <fovea/runtime/tokenizers/pair_set.hpp>
#include <fovea/runtime/tokenizers/token_trie.hpp>
#include <fovea/runtime/tokenizers/vocabulary.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea::core {

/// Byte-pair encoding (Sennrich et al. 2016; over bytes: Radford et al. 2019; by scores: SentencePiece, Kudo
/// and Richardson 2018). A word begins as its bytes or characters; of all neighbours that a merge joins, the
/// pair of the earliest merge is joined, leftmost first, until none is left.
class byte_pair {
public:
  struct settings {
    /// Bytes in GPT-2's printable alphabet; characters; words that each begin at U+2581.
    enum class unit { byte, character, word } over = unit::byte;
    std::optional<token_id> unknown{}; // for a unit that is no token; without it the unit is dropped
    bool fuse_unknown = false;         // neighbouring unknown units are one token
    bool ignore_merges = false;        // a word that is a token is that token, whatever the merges make of it
    bool byte_fallback = false; // a character that is no token is its bytes, <0x00> to <0xFF>, where they are
    std::string word_end{}; // of bytes: what the spelling of a word's last has behind it, as CLIP's "</w>"
  };
  using merge_list = std::vector<std::pair<std::string, std::string>>;
  struct merge {
    std::uint64_t pair = pair_set::free_slot;
    std::uint32_t rank = 0;
    token_id result = 0;
  };
  /// What merges are looked up in.
  struct tables {
    std::span<const merge> merges;           // open addressing, a power of two
    std::span<const std::uint64_t> meetings; // of a pair_set
  };

  /// `merges` earliest first, spelt as tokens. Throws fovea::error when a merge's parts or its result are no
  /// tokens, or a merge comes twice.
  byte_pair(const token_vocabulary& tokens, const merge_list& merges, settings options);
  /// Any two tokens that join to a third are a merge, as early as `scores`, by id, is high for the third; one
  /// whose score is not a number is never joined to, one of -infinity not even a unit. `whole` are tokens
  /// that are units where they stand, of several the longest. Throws fovea::error for a token that can be
  /// joined to of more than 1,024 bytes, which bounds what each byte of the vocabulary costs.
  byte_pair(const token_vocabulary& tokens, std::span<const float> scores, settings options,
            token_trie whole = {});
  /// Looks up in tables where they lie. Throws fovea::error where they are none of these tokens.
  byte_pair(const token_vocabulary& tokens, const tables& lying, settings options);
  /// Nothing where it has more than tables and settings say.
  std::optional<tables> looked_up() const;

  /// Appends the ids of one word, given by its bytes; valid UTF-8 where it is cut into characters.
  void append(std::string_view word, std::vector<token_id>& ids) const;

  /// Earliest first.
  merge_list merges() const;
  const settings& options() const { return options_; }

private:
  static constexpr std::uint64_t free_slot = pair_set::free_slot;
  static std::uint64_t key(token_id left, token_id right) {
    return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
  }
  byte_pair(const token_vocabulary& tokens, settings options);
  static std::size_t slot_of(std::span<const merge> merges, std::uint64_t pair);
  const merge* find(token_id left, token_id right) const;
  void note_meetings();
  void join(std::vector<token_id>& ids, std::size_t begin) const;
  std::size_t unit_length(std::string_view text) const;
  void append_units(std::string_view word, std::vector<token_id>& ids) const;
  bool append_fallback(std::string_view character, std::vector<token_id>& ids) const;

  const token_vocabulary& tokens_;
  settings options_;
  token_trie whole_;
  std::vector<bool> hidden_;             // by id, the tokens that are no units; empty where there is none
  std::array<token_id, 256> byte_ids_{}; // or -1; those of <0x00> to <0xFF> where characters are the units
  std::array<token_id, 256> last_byte_ids_{}; // of the last byte of a word
  lying_table<merge> merges_;
  pair_set meeting_; // the pairs of units between which a merge can join
};

} // namespace fovea::core
