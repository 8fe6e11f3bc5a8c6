#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <fovea/backends/pieces.hpp>
#include <fovea/backends/stream_state.hpp>
#include <fovea/dsl/graph_view.hpp>
#include <fovea/dsl/stream_rate.hpp>

namespace fovea::core::detail {

/// The states of a stream, each a piece of memory. What is asked of a row of the batch, or moves windows, goes
/// by the sizes of the dims, as what is kept lies by them: all but the batch must be those of the steps since
/// the last begin.
class stream_memory {
public:
  /// `most_positions` between two begins and in a step, which takes a multiple of `stride`. Keys and values are kept in
  /// `format`. Throws fovea::error that names `model` where the heads of one do not fit it.
  stream_memory(const graph_view& g, std::span<const bool> live, std::span<const std::int64_t> capacity,
                int state_count, std::int64_t most_positions, std::int64_t stride, int batch_dim,
                weight_format format, const char* model);

  std::vector<kept_state> places();
  void clear();
  /// The floats of all states, at capacity.
  std::size_t size() const { return size_; }
  std::vector<float> save() const;
  /// Takes back what `save` gave.
  void load(std::span<const float> values);

  /// What keys and values are kept in.
  weight_format format() const { return format_; }

  /// Where windows begin in their memory, in positions.
  std::size_t window_start() const { return window_start_; }
  void set_window_start(std::size_t at) { window_start_ = at; }
  /// Whether they may begin there in a stream that moves on by multiples of `stride`.
  bool may_start_at(std::size_t at, std::int64_t stride) const {
    return at <= window_room_ && at % static_cast<std::size_t>(stride) == 0;
  }
  /// Brings windows back to where they began, if `count` more positions would not fit behind them.
  void make_room(std::size_t count, std::span<const std::int64_t> sizes) {
    if (window_start_ + count > window_room_) bring_back(sizes);
  }
  /// Windows move on by so many positions; those of idle rows take along what they see.
  void advance(std::size_t count) { window_start_ += count; }
  void advance(std::size_t count, std::span<const row_position> rows, std::span<const std::int64_t> sizes);

  /// Row i becomes what row from[i] was.
  void reorder(std::span<const std::size_t> from, std::span<const std::int64_t> sizes);
  void copy(std::size_t from, std::size_t to, std::span<const std::int64_t> sizes);
  /// A row forgets what steps have left; what `begin` computed stays.
  void clear(std::size_t row, std::span<const std::int64_t> sizes);
  /// What a row keeps after so many positions, without the places that are still free.
  std::vector<float> save(std::size_t row, std::int64_t positions, std::span<const std::int64_t> sizes) const;
  /// The row becomes that, if it is as much as a row keeps after so many positions: which is returned.
  std::size_t load(std::size_t row, std::int64_t positions, std::span<const std::int64_t> sizes,
                   std::span<const float> values);

private:
  struct placed {
    std::size_t piece = 0, layer = 0, layers = 0;
    std::size_t batches = 0, rows = 0, kept = 0; // of a cache; kept: positions of a window
    std::int64_t rate = 1;
    std::size_t parts = 0; // of a batch row along the first axis; 0: it has no batch
    float first = 0;       // what it holds at the beginning
    weight_format format = weight_format::f32;
    int node = -1;
    bool is_cache = false;
    bool of_begin = true; // no step changes it

    /// As many as there are for so many of the stream.
    std::size_t positions(std::size_t of_dim) const {
      return static_cast<std::size_t>(positions_at(rate, static_cast<std::int64_t>(of_dim)));
    }
  };
  /// What one batch row has of a state, in one layer, from where the state begins: caches of several planes
  /// where axes lie between, whose positions lie `position` floats apart.
  struct row_part {
    std::size_t offset, planes, plane, position;
  };

  /// The floats of a position of a cache.
  std::size_t position_of(const placed& s, std::span<const std::int64_t> sizes) const {
    return floats_of_position(graph_, s.node, s.format, sizes.data());
  }
  void bring_back(std::span<const std::int64_t> sizes);
  /// Writes what states hold at the beginning where that is not 0, as their memory is.
  void fill_first();
  static void move_window(const placed& s, float* plane, std::size_t position, std::size_t from,
                          std::size_t to);
  void fill(const placed& s, std::size_t offset, std::size_t floats);
  float* begin_of(const placed& s) const { return memory_[s.piece]; }
  row_part part_of(const placed& s, std::size_t layer, std::size_t row,
                   std::span<const std::int64_t> sizes) const;
  template <class F>
  void for_parts(std::size_t row, std::span<const std::int64_t> sizes, const F& f) const;
  /// Calls f(begin, floats) for all that a row keeps after so many positions.
  template <class F>
  void for_kept(std::size_t row, std::int64_t positions, std::span<const std::int64_t> sizes,
                const F& f) const;

  graph_view graph_;
  weight_format format_;
  std::vector<placed> states_;
  pieces memory_, moved_;
  std::size_t size_ = 0;
  std::size_t window_start_ = 0, window_room_ = 0;
};

} // namespace fovea::core::detail
