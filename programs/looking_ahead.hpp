#pragma once

#include <fovea/programs/next_token_network.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace fovea::programs {

/// At most `most` tokens that may come next in a text.
using draft_of_text = std::function<token_ids(std::span<const token_id> text, std::size_t most)>;
/// Those that followed the same words before in the text, `tokens` at once.
draft_of_text draft_by_lookup(std::size_t tokens);
/// Those that a small network, which can be rewound, finds most likely, `tokens` at once.
draft_of_text draft_by_network(std::shared_ptr<next_token_network> small, std::size_t tokens);

/// A network that reads ahead what may come next in its one text, as a draft says, and knows the scores after it if it
/// comes: the same texts in fewer steps. The other network can be rewound, does nothing else, and lives as long as this.
class looking_ahead final : public next_token_network {
public:
  /// It reads at most `context` tokens.
  looking_ahead(next_token_network& network, draft_of_text draft, std::size_t context)
      : network_(network), draft_(std::move(draft)), context_(context) {}

  void read(token_ids source) override { network_.read(std::move(source)); }
  void begin(std::size_t rows) override;
  token_scores step(std::span<const token_id> ids) override;
  void reorder(std::span<const std::size_t> from) override { network_.reorder(from); }
  std::size_t most_rows() const override { return 1; }
  std::size_t vocabulary() const override { return network_.vocabulary(); }

  /// How many tokens it has read ahead, and how many of them came.
  std::size_t proposed() const { return all_proposed_; }
  std::size_t accepted() const { return all_accepted_; }

private:
  next_token_network& network_;
  draft_of_text draft_;
  std::size_t context_, all_proposed_ = 0, all_accepted_ = 0;
  token_ids text_, ahead_;   // what has come; what was read behind the last step
  std::size_t accepted_ = 0; // of those read ahead
  std::optional<token_scores> scores_;
};

} // namespace fovea::programs
