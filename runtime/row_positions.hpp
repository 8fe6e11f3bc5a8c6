#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fovea/backends/stream_state.hpp>

namespace fovea::core::detail {

/// How many positions each row of a stream has taken. As long as all rows stand together one number says it.
class row_positions {
public:
  explicit row_positions(std::size_t most_rows);

  void begin() {
    rows_ = places_.size();
    furthest_ = 0;
    end_ = no_end;
    together_ = true;
  }
  /// So many of the rows are in use.
  void use(std::size_t rows) {
    if (rows == rows_) return;
    rows_ = rows;
    settle();
  }
  std::size_t rows() const { return rows_; }
  std::size_t most_rows() const { return places_.size(); }

  std::int64_t of(std::size_t row) const { return together_ ? furthest_ : places_[row].before; }
  /// Of the row that has taken most.
  std::int64_t furthest() const { return furthest_; }
  /// How many positions the sequence of a row has; no_end while that is not known.
  std::int64_t end_of(std::size_t row) const { return together_ ? end_ : places_[row].end; }
  /// Where all rows stand that stand at one place.
  row_position together() const { return {furthest_, end_}; }
  /// The place of each row, where they do not all stand at one; else none.
  std::span<const row_position> apart() const {
    return together_ ? std::span<const row_position>{} : places();
  }
  std::span<const row_position> places() const { return {places_.data(), rows_}; }

  /// All rows that are not idle take so many positions.
  void advance(std::int64_t count) {
    if (together_) [[likely]]
      furthest_ += count;
    else
      advance_each(count);
  }
  void set(std::size_t row, std::int64_t position, std::int64_t end);
  /// A row stands so many positions before where it stood, and its sequence ends there at most.
  void rewind(std::size_t row, std::int64_t count);
  /// The sequence of a row ends where it stands; that of each row which has not ended.
  void end(std::size_t row) { set(row, of(row), of(row)); }
  void end();
  /// From now on to `settle` rows stand apart, and those of which is_idle(row) holds take no positions.
  template <class F>
  void rest(const F& is_idle) {
    spread();
    for (std::size_t row = 0; row < rows_; ++row) places_[row].idle = is_idle(row);
  }
  void settle();
  /// Row i becomes what row from[i] was.
  void reorder(std::span<const std::size_t> from);

private:
  void advance_each(std::int64_t count);
  void spread();

  std::vector<row_position> places_;
  std::size_t rows_;
  std::int64_t furthest_ = 0, end_ = no_end;
  bool together_ = true;
};

} // namespace fovea::core::detail
