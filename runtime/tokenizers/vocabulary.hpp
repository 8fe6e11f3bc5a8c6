#pragma once

#include <fovea/runtime/tokenizers/lying_table.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fovea::core {

/// A token's number, as models take it.
using token_id = std::int32_t;

/// Tokens by id and ids by token. Both directions are one to one; ids may leave gaps. All spellings lie in
/// one buffer, so that a vocabulary of a hundred thousand tokens is made in a few milliseconds.
class token_vocabulary {
public:
  struct spelling {
    std::uint32_t begin = 0, length = 0;
  };
  struct slot {
    std::uint32_t hash = 0;
    token_id id = none;
  };
  static constexpr token_id none = -1;
  /// What it looks up in, the same on every machine.
  struct tables {
    std::span<const char> text;
    std::span<const spelling> spellings; // by id
    std::span<const slot> slots;         // open addressing, a power of two, at most half full
  };

  token_vocabulary() = default;
  /// Looks up in tables where they lie. Throws fovea::error where they are none of a vocabulary, so that no token can be
  /// outside of them or no UTF-8.
  explicit token_vocabulary(const tables& lying);
  tables looked_up() const { return {text_.all(), spellings_.all(), slots_.all()}; }

  /// Throws fovea::error when the token or the id is taken by another, the token is empty, or the id is out
  /// of all proportion.
  void add(std::string_view token, std::int64_t id);
  /// For ids that come from a file in any order: throws fovea::error where the greatest is not less than
  /// 1,024 and 8 for each token, so that what is made by id grows with the tokens that there are.
  void check_ids();

  /// One more than the greatest id.
  std::size_t size() const { return size_; }
  std::optional<token_id> id(std::string_view token) const;
  /// Empty for an id that no token has. Valid until the next `add`.
  std::string_view token(token_id id) const;

private:
  static std::uint32_t hash_of(std::string_view token);
  std::size_t find(std::string_view token, std::uint32_t hash) const;
  std::size_t most_ids() const { return 1024 + 8 * used_; }
  std::optional<token_id> id_of(std::string_view token, std::uint32_t hash) const;
  spelling spelling_of(std::size_t id) const;
  void spell(std::size_t id, spelling text);
  void grow();

  lying_table<char> text_;
  lying_table<spelling> spellings_;                 // by id
  std::unordered_map<std::size_t, spelling> ahead_; // of ids too great for the tokens that came before them
  std::size_t size_ = 0;
  lying_table<slot> slots_;
  std::size_t used_ = 0;
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::token_id, core::token_vocabulary;
} // namespace fovea
