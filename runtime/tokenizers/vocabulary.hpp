#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fovea {

/// A token's number, as models take it.
using token_id = std::int32_t;

/// Tokens by id and ids by token. Both directions are one to one; ids may leave gaps.
class vocabulary {
public:
  /// Throws fovea::error when the token or the id is taken by another, or the id is out of all proportion.
  void add(const std::string& token, std::int64_t id);
  void reserve(std::size_t count) {
    ids_.reserve(count);
    tokens_.reserve(count);
  }

  /// One more than the greatest id.
  std::size_t size() const { return tokens_.size(); }
  std::optional<token_id> id(std::string_view token) const {
    const auto found = ids_.find(token);
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
  }
  /// Empty for an id that no token has.
  const std::string& token(token_id id) const;

private:
  struct text_hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  std::unordered_map<std::string, token_id, text_hash, std::equal_to<>> ids_;
  std::vector<std::string> tokens_;
};

} // namespace fovea
