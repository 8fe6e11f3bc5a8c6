#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <fovea/backends/buffer.hpp>

namespace fovea::core {

/// Pieces of working memory, each of whole lines and zeros at first: side by side in one allocation, or each
/// in one of its own, as pieces_lie_together() says.
class pieces {
public:
  pieces() = default;
  pieces(pieces&&) = default;
  pieces& operator=(pieces&&) = default;
  pieces(const pieces& other);
  /// Takes no memory where both have pieces of the same sizes.
  pieces& operator=(const pieces& other);
  /// Of so many floats each. Where they lie side by side, `between` floats (whole lines) that nobody uses
  /// keep one from the next.
  explicit pieces(std::span<const std::size_t> floats, std::size_t between = 0);

  /// Makes all of them zeros again.
  void clear() noexcept;

  float* operator[](std::size_t i) const { return begins_[i]; }
  float* const* data() const { return begins_.data(); }
  /// The floats of those before piece i, with what is between them.
  std::size_t before(std::size_t i) const;
  /// The floats of all.
  std::size_t size() const;
  /// Whether one of these floats is some of theirs.
  bool hold(std::span<const float> values) const;

private:
  void find_begins(const pieces& other);

  std::vector<buffer> memory_;
  std::vector<float*> begins_;
};

} // namespace fovea::core
