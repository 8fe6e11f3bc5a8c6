#pragma once

#include <fovea/runtime/tokenizers/vocabulary.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea {

/// Byte-level byte-pair encoding (Sennrich et al. 2016; over bytes: Radford et al. 2019). A word begins as
/// its bytes; of all neighbours that a merge joins, the pair of the earliest merge is joined, leftmost first,
/// until none is left.
class byte_pair {
public:
  struct settings {
    std::optional<token_id> unknown{}; // for a byte that is no token; without it the byte is dropped
    bool fuse_unknown = false;         // neighbouring unknown bytes are one token
    bool ignore_merges = false;        // a word that is a token is that token, whatever the merges make of it
  };

  /// `merges` earliest first, in the printable alphabet. Throws fovea::error when a merge's parts or its
  /// result are no tokens, or a merge comes twice.
  byte_pair(const vocabulary& tokens, const std::vector<std::pair<std::string, std::string>>& merges,
            settings options);

  /// Appends the ids of one word, given by its bytes.
  void append(std::string_view word, std::vector<token_id>& ids) const;

private:
  struct merge {
    std::uint64_t pair = free_slot;
    std::uint32_t rank = 0;
    token_id result = 0;
  };
  static constexpr std::uint64_t free_slot = ~std::uint64_t{0};
  static std::uint64_t key(token_id left, token_id right) {
    return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
  }
  std::size_t slot_of(std::uint64_t pair) const;
  const merge* find(token_id left, token_id right) const;
  void append_bytes(std::string_view word, std::vector<token_id>& ids) const;

  const vocabulary& tokens_;
  settings options_;
  std::array<token_id, 256> byte_ids_{}; // or -1
  std::vector<merge> merges_;            // open addressing, a power of two
};

} // namespace fovea
