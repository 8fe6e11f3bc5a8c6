#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

/// A token's number, as models take it.
using token_id = std::int32_t;

/// Tokens by id and ids by token. Both directions are one to one; ids may leave gaps. All spellings lie in
/// one buffer, so that a vocabulary of a hundred thousand tokens is made in a few milliseconds.
class vocabulary {
public:
  /// Throws fovea::error when the token or the id is taken by another, the token is empty, or the id is out
  /// of all proportion.
  void add(std::string_view token, std::int64_t id);

  /// One more than the greatest id.
  std::size_t size() const { return spellings_.size(); }
  std::optional<token_id> id(std::string_view token) const;
  /// Empty for an id that no token has. Valid until the next `add`.
  std::string_view token(token_id id) const;

private:
  struct spelling {
    std::uint32_t begin = 0, length = 0;
  };
  struct slot {
    std::uint32_t hash = 0;
    token_id id = none;
  };
  static constexpr token_id none = -1;

  static std::uint32_t hash_of(std::string_view token);
  std::size_t find(std::string_view token, std::uint32_t hash) const;
  void grow();

  std::string text_;
  std::vector<spelling> spellings_; // by id
  std::vector<slot> slots_;         // open addressing, a power of two, at most half full
  std::size_t used_ = 0;
};

} // namespace fovea
