#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <fovea/backends/buffer.hpp>
#include <fovea/backends/rope_turns.hpp>
#include <fovea/backends/simd/generated.hpp>
#include <fovea/dsl/graph_view.hpp>
#include <fovea/dsl/stream_rate.hpp>

namespace fovea::core::simd {

/// The sine and cosine of each position's angles, [positions, width], which `rope` and `sinusoidal` read: of
/// the first positions, as many as a call has at capacity, made once; and of the positions of a call that go
/// beyond these, made before it, so that a stream can go on without end. Nodes of equal numbers share a
/// table: the queries and keys of one layer, say.
class position_tables {
public:
  position_tables(const graph_view& graph, std::span<const std::int64_t> capacity);

  /// Makes room for calls of so many batch rows whose positions lie anywhere.
  void go_beyond(size_t rows);
  /// Makes what a call reads beyond the tables. Its rows stand where `rows` says, or all after `before`
  /// positions where that is empty.
  void prepare(std::int64_t before, std::span<const row_position> rows, std::span<const std::int64_t> sizes);

  /// Where the angles begin of `count` positions of a batch row that has taken `before`, of which they lie so
  /// many behind.
  const float* angles(int node, size_t row, std::int64_t before, std::int64_t behind, size_t count) const {
    const table& t = tables_[table_of_[static_cast<std::size_t>(node)]];
    const size_t later = most_behind_ - static_cast<size_t>(behind), first = t.first(before) + later;
    return first + count <= t.positions ? values_.data() + t.offset + first * t.how.width
                                        : beyond_.data() + (t.offset + row * size_ + later * t.how.width);
  }

private:
  /// What is told to a node about its angles, as in its settings.
  struct turning {
    op kind;
    double base;
    rope_scaling scaling;
    std::int32_t first, rate;
    size_t width;
    friend bool operator==(const turning&, const turning&) = default;
  };
  static turning turning_of(const graph_view& graph, int id);

  struct table {
    turning how;
    std::uint16_t length;     // the dim of its positions
    size_t positions, offset; // those before the first, which lie behind, with them
    rope_turns turns;

    /// The position that a stream has come to.
    size_t first(std::int64_t before) const {
      return how.rate == 0 ? 0 : static_cast<size_t>(positions_at(how.rate, before));
    }
    /// From a position, which may lie before the first.
    void fill(std::int64_t from, size_t count, float* to) const;
  };

  std::vector<table> tables_;
  std::vector<std::size_t> table_of_; // for each node
  buffer values_, beyond_;            // beyond_: for each batch row as much as values_
  size_t size_ = 0, most_behind_ = 0;
};

} // namespace fovea::core::simd
