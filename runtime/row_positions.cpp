#include <fovea/runtime/row_positions.hpp>

#include <algorithm>

namespace fovea::core::detail {

row_positions::row_positions(std::size_t most_rows) : places_(most_rows), rows_(most_rows) {}

void row_positions::advance_each(std::int64_t count) {
  for (std::size_t row = 0; row < rows_; ++row)
    if (row_position& p = places_[row]; !p.idle) furthest_ = std::max(furthest_, p.before += count);
}

void row_positions::rewind(std::size_t row, std::int64_t count) {
  const std::int64_t position = of(row) - count;
  set(row, position, end_of(row) > position ? no_end : end_of(row));
}

void row_positions::set(std::size_t row, std::int64_t position, std::int64_t end) {
  spread();
  places_[row] = {position, end};
  settle();
}

void row_positions::end() {
  for (std::size_t row = 0; row < rows_; ++row)
    if (end_of(row) == no_end) end(row);
}

void row_positions::settle() {
  if (together_) return;
  furthest_ = 0;
  end_ = places_[0].end;
  for (std::size_t row = 0; row < rows_; ++row) {
    places_[row].idle = false;
    furthest_ = std::max(furthest_, places_[row].before);
  }
  together_ =
      std::ranges::all_of(places(), [this](const auto& p) { return p.before == furthest_ && p.end == end_; });
}

void row_positions::reorder(std::span<const std::size_t> from) {
  if (!together_) {
    const std::vector<row_position> before = places_;
    for (std::size_t row = 0; row < from.size(); ++row) places_[row] = before[from[row]];
  }
  use(from.size());
  settle();
}

void row_positions::spread() {
  if (!together_) return;
  std::ranges::fill(places_, together());
  together_ = false;
}

} // namespace fovea::core::detail
