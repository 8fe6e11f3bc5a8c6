#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <fovea/backends/stream_state.hpp>
#include <fovea/dsl/graph_view.hpp>
#include <fovea/dsl/passes/by_position.hpp>

namespace fovea::core::detail {

/// A step that is taken in parts, so that rows may end inside of it: its inputs, of which each part is given
/// the next positions, and its outputs, into which each part's go where its rows are not idle. What no part
/// writes is zero.
template <class step_model, dim time, int batch>
class step_parts {
  static constexpr graph_view graph = step_model::view;
  static constexpr std::size_t inputs = graph.inputs.size(), outputs = graph.outputs.size();

  /// A value as [planes, positions, floats]; one without positions is one plane.
  struct layout {
    std::size_t planes = 1, positions = 1, floats = 1;
    bool moves = false;
    layout(int id, std::span<const std::int64_t> sizes) {
      const shape& s = graph.at(id).shape;
      for (int axis = 0; axis < s.rank; ++axis) {
        const auto size = static_cast<std::size_t>(sizes[s.dims[axis]]);
        if (graph.dim_of(s.dims[axis]).mentions(time))
          positions = size, moves = true;
        else
          (moves ? floats : planes) *= size;
      }
      if (!moves) std::swap(planes, floats);
    }
    std::size_t size() const { return planes * positions * floats; }
  };
  /// The axis of an output that has the rows of the batch, and how many parts of each; axis -1: none has. The
  /// pass that made the step refuses outputs whose axes do not tell it.
  struct row_axis {
    int axis;
    std::size_t parts;
  };
  static constexpr row_axis row_axis_of(int id) {
    const shape& s = graph.at(id).shape;
    for (int axis = 0; axis < s.rank; ++axis)
      if (const auto parts = parts_of_rows(graph, s.dims[axis], graph.dim_of(batch)); parts > 0)
        return {axis, static_cast<std::size_t>(parts)};
    return {-1, 0};
  }
  static constexpr std::array<row_axis, outputs> row_axes = [] {
    std::array<row_axis, outputs> made{};
    for (std::size_t i = 0; i < outputs; ++i) made[i] = row_axis_of(graph.outputs[i].node);
    return made;
  }();
  /// From the beginning of one row of output i to that of the next; 0: it has no rows.
  static std::size_t row_stride(std::size_t i, std::span<const std::int64_t> sizes) {
    const shape& s = graph.at(graph.outputs[i].node).shape;
    if (row_axes[i].axis < 0) return 0;
    std::size_t floats = row_axes[i].parts;
    for (int axis = row_axes[i].axis + 1; axis < s.rank; ++axis)
      floats *= static_cast<std::size_t>(sizes[s.dims[axis]]);
    return floats;
  }

public:
  /// Makes room, the first time.
  void reserve(std::span<const std::int64_t> capacity) {
    if (!values_.empty()) return;
    std::size_t total = 1;
    const auto place = [&](int id) {
      const std::size_t at = total;
      total += layout(id, capacity).size();
      return at;
    };
    for (std::size_t i = 0; i < inputs; ++i) inputs_[i] = place(graph.inputs[i].node);
    for (std::size_t i = 0; i < outputs; ++i) outputs_[i] = place(graph.outputs[i].node);
    values_.resize(total);
  }
  void* input(std::size_t i, std::span<const std::int64_t>) { return values_.data() + inputs_[i]; }
  const void* output(std::size_t i) const { return values_.data() + outputs_[i]; }

  /// Sets all outputs of a step of these sizes to zero.
  void begin(std::span<const std::int64_t> whole) {
    whole_.assign(whole.begin(), whole.end());
    for (std::size_t i = 0; i < outputs; ++i)
      std::fill_n(values_.data() + outputs_[i], layout(graph.outputs[i].node, whole).size(), 0.0f);
  }
  /// Gives `to` the share of the inputs of a part that begins after `done` of its own lengths.
  template <class engine>
  void give(engine& to, std::span<const std::int64_t> part, std::size_t done, std::size_t count) const {
    for (std::size_t i = 0; i < inputs; ++i) {
      const int id = graph.inputs[i].node;
      const layout all(id, whole_), some(id, part);
      auto* into = static_cast<float*>(to.input(i, part));
      for (std::size_t plane = 0; plane < all.planes; ++plane)
        std::memcpy(into + plane * some.positions * some.floats,
                    values_.data() + inputs_[i] +
                        (plane * all.positions + done * some.positions / count) * all.floats,
                    some.positions * some.floats * sizeof(float));
    }
  }
  /// Takes the outputs of such a part; outputs without positions are those of a row's last part.
  template <class engine>
  void take(const engine& from, std::span<const std::int64_t> part, std::size_t done, std::size_t count,
            std::span<const row_position> rows) {
    for (std::size_t i = 0; i < outputs; ++i) {
      const int id = graph.outputs[i].node;
      const layout all(id, whole_), some(id, part);
      const auto* made = static_cast<const float*>(from.output(i));
      const std::size_t first = some.moves ? done * some.positions / count : 0,
                        plane = some.positions * some.floats, row = row_stride(i, part);
      const std::size_t run = row > 0 ? std::min(row, plane) : plane; // of one row, in one plane
      for (std::size_t at = 0; at < some.size(); at += run)
        if (row == 0 || !rows[at / row % rows.size()].idle)
          std::memcpy(values_.data() + outputs_[i] + (at / plane * all.positions + first) * all.floats +
                          at % plane,
                      made + at, run * sizeof(float));
    }
  }

private:
  std::array<std::size_t, inputs> inputs_{};
  std::array<std::size_t, outputs> outputs_{};
  std::vector<float> values_;
  std::vector<std::int64_t> whole_;
};

} // namespace fovea::core::detail
