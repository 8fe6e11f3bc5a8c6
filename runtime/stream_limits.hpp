#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <fovea/runtime/row_positions.hpp>

namespace fovea::core::detail {

/// What a stream may be given. Each check throws fovea::error, which says what was expected and found.
struct stream_limits {
  std::string model, time;
  std::int64_t stride, latency;
  std::int64_t most_positions, most_new; // between two begins, and in a step

  [[noreturn]] void refuse(const std::string& why) const;
  void check_multiple(std::int64_t count) const;
  /// So many positions more after those before.
  void check_room(std::int64_t count, std::int64_t before) const;
  /// Rows that have ended have so many positions to come, row by row what `lengths` says. With `all_end` the
  /// others end where they stand.
  void check_ends(const row_positions& rows, std::int64_t count, std::span<const std::size_t> lengths = {},
                  bool all_end = false) const;
  /// Lengths of so many rows, of which a step gives `count` positions.
  void check_lengths(const row_positions& rows, std::int64_t given, std::span<const std::size_t> lengths,
                     std::int64_t count) const;
  /// What `finish` gives in one call.
  void check_finish(const row_positions& rows, std::size_t count) const;
  /// Where a row that goes on from elsewhere stands, and where its sequence has ended.
  void check_position(std::int64_t position, std::int64_t end) const;
  /// What a state has keys and values in is what the stream keeps them in.
  void check_cache(weight_format kept, weight_format found) const;
  void check_row(std::size_t row, const row_positions& rows) const;
  /// How many positions a row forgets.
  void check_rewind(std::size_t row, const row_positions& rows, std::size_t count) const;
  /// An order of the rows that there were before, of which there may be `most`.
  void check_order(std::span<const std::size_t> order, std::int64_t before, std::size_t most) const;
};

} // namespace fovea::core::detail
