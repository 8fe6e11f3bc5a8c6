#include <fovea/runtime/stream_limits.hpp>

#include <fovea/base/error.hpp>

#include <algorithm>

namespace fovea::core::detail {

using std::to_string;

void stream_limits::refuse(const std::string& why) const { throw error(model + ": stream: " + why); }

void stream_limits::check_multiple(std::int64_t count) const {
  if (stride > 1 && count % stride != 0)
    refuse("expected a multiple of " + to_string(stride) + " positions, by which the model divides " + time +
           ", found " + to_string(count));
}

void stream_limits::check_room(std::int64_t count, std::int64_t before) const {
  if (count > most_positions - before)
    refuse("expected at most " + to_string(most_positions) + " positions, the capacity of " + time +
           ", found " + to_string(count) + " more after " + to_string(before));
}

void stream_limits::check_ends(const row_positions& rows, std::int64_t count,
                               std::span<const std::size_t> lengths, bool all_end) const {
  // Before the first step there are as many rows as the capacity says, and lengths of those that are given.
  const std::size_t count_of_rows = lengths.empty() ? rows.rows() : lengths.size();
  for (std::size_t row = 0; latency > 0 && row < count_of_rows; ++row) {
    const bool ends_here = all_end && rows.end_of(row) == no_end;
    const std::int64_t taken = lengths.empty() ? count : static_cast<std::int64_t>(lengths[row]),
                       end = ends_here ? rows.of(row) : rows.end_of(row),
                       to_come = end + latency - rows.of(row);
    if (taken > to_come)
      refuse("expected at most the " + to_string(to_come) + " positions that are to come of row " +
             to_string(row) + ", which ended after " + to_string(end) + ", found " + to_string(taken));
  }
}

void stream_limits::check_lengths(const row_positions& rows, std::int64_t given,
                                  std::span<const std::size_t> lengths, std::int64_t count) const {
  if (static_cast<std::int64_t>(lengths.size()) != given)
    refuse("expected " + to_string(given) + " lengths, one for each row, found " + to_string(lengths.size()));
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    if (lengths[row] > static_cast<std::size_t>(count))
      refuse("expected lengths up to the " + to_string(count) + " positions that are given, found " +
             to_string(lengths[row]) + " for row " + to_string(row));
    check_multiple(static_cast<std::int64_t>(lengths[row]));
    check_room(static_cast<std::int64_t>(lengths[row]), rows.of(row));
  }
  check_ends(rows, count, lengths);
}

void stream_limits::check_finish(const row_positions& rows, std::size_t count) const {
  if (rows.furthest() == 0) refuse("expected a step before finish(...)");
  if (count < 1 || count > static_cast<std::size_t>(most_new))
    refuse("expected to finish by at most " + to_string(most_new) +
           " positions in one call, the capacity of " + time + ", found " + to_string(count) +
           "; call finish(" + to_string(most_new) + ") until all are given");
  const auto more = static_cast<std::int64_t>(count);
  check_multiple(more);
  check_ends(rows, more, {}, true);
  check_room(more, rows.furthest());
}

void stream_limits::check_position(std::int64_t position, std::int64_t end) const {
  // Those that go on without end count on from a position that leaves room for it.
  const std::int64_t most = std::min(most_positions, no_end);
  if (position < 0 || position > most || position % stride != 0)
    refuse("expected a row after 0 to " + to_string(most) + " positions, a multiple of " + to_string(stride) +
           ", found one after " + to_string(position));
  if (end != no_end && (end < 0 || end > position || end < position - latency))
    refuse("expected a row after " + to_string(position) + " positions to have ended at most " +
           to_string(latency) + " before, found an end after " + to_string(end));
}

void stream_limits::check_cache(weight_format kept, weight_format found) const {
  if (kept != found)
    refuse(std::string("expected a state whose keys and values are kept in ") + name_of(kept) + ", found " +
           name_of(found));
}

void stream_limits::check_row(std::size_t row, const row_positions& rows) const {
  if (row >= rows.rows())
    refuse("expected a row from 0 to " + to_string(rows.rows() - 1) + ", found " + to_string(row));
}

void stream_limits::check_rewind(std::size_t row, const row_positions& rows, std::size_t count) const {
  if (count > static_cast<std::size_t>(rows.of(row)))
    refuse("expected to rewind row " + to_string(row) + " by at most the " + to_string(rows.of(row)) +
           " positions that it has taken, found " + to_string(count));
  check_multiple(static_cast<std::int64_t>(count));
}

void stream_limits::check_order(std::span<const std::size_t> order, std::int64_t before,
                                std::size_t most) const {
  if (order.empty() || order.size() > most)
    refuse("expected 1 to " + to_string(most) + " rows, its capacity, found " + to_string(order.size()));
  for (const std::size_t row : order)
    if (before < 1 || row >= static_cast<std::size_t>(before))
      refuse("expected rows from 0 to " + to_string(before - 1) + ", found " + to_string(row));
}

} // namespace fovea::core::detail
