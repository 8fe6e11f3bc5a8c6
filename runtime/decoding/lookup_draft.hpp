#pragma once

#include <fovea/runtime/decoding/draft.hpp>

namespace fovea::core {

/// tokens    the most that are proposed at once
///   longest   how many of the newest tokens are looked for; where they do not occur before, fewer are
///   shortest  no fewer than so many
struct lookup_options {
  std::size_t tokens = 8;
  std::size_t longest = 3, shortest = 1;
};

/// A draft without a model: the text itself (prompt lookup decoding, Saxena 2023). It proposes what followed the newest
/// tokens where they last occurred before. Good where a text repeats what its prompt says: edits, summaries, code.
class lookup_draft {
public:
  /// Throws fovea::error for no tokens, or lengths of which `shortest` is 0 or above `longest`.
  explicit lookup_draft(const lookup_options& options = {});

  void begin() {}
  std::vector<proposed_token> propose(std::span<const token_id> text, std::size_t most,
                                      const sampling_options&) const;

private:
  lookup_options options_;
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::lookup_draft, core::lookup_options;
} // namespace fovea
