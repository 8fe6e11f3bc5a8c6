#pragma once

#include <fovea/base/file_path.hpp>
#include <fovea/runtime/decoding/next_token.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace fovea::core {

/// A long text as tokens: held in memory, or a file of them of which nothing is read until it is needed. A
/// cheap handle to what its copies and parts share.
class token_text {
public:
  /// Held.
  explicit token_text(token_ids ids);
  /// A file of 16-bit little-endian ids, as nanoGPT's and llm.c's scripts write them without a header. Throws
  /// fovea::error that names the file where it can't be mapped or its size is odd.
  static token_text mapped(const file_path& path);

  std::size_t size() const { return last_ - first_; }
  /// From token `first` on up to token `last`.
  token_text part(std::size_t first, std::size_t last) const;

  /// Copies what begins at token `first`. Throws fovea::error for an id that is not below `vocabulary`.
  void copy(std::size_t first, std::span<std::int32_t> to, std::size_t vocabulary) const;

private:
  struct source;
  explicit token_text(std::shared_ptr<const source> from);

  std::shared_ptr<const source> from_;
  std::size_t first_ = 0, last_ = 0;
};

/// Writes what token_text::mapped reads; the file is whole or what it was before. Throws fovea::error for an
/// id outside 0 to 65535 and where the disk refuses.
void save_tokens(const file_path& path, std::span<const token_id> ids);

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::save_tokens, core::token_text;
} // namespace fovea
