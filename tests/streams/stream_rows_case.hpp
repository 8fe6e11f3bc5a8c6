#pragma once

// Holds rows of a stream that stand at positions of their own against their sequences.

#include "stream_case.hpp"

namespace fovea::core::test {

/// A value by rows: the axis of the batch first, which may have been folded with parts of each row behind it.
inline golden_tensor rows_first(const golden_tensor& from, std::size_t axis, std::size_t rows) {
  golden_tensor made = from;
  made.shape[axis] /= rows;
  made.shape.insert(made.shape.begin(), rows);
  std::size_t planes = 1, floats = 1;
  for (std::size_t i = 0; i < axis; ++i) planes *= from.shape[i];
  for (std::size_t i = axis; i < from.shape.size(); ++i) floats *= made.shape[i + 1];
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t plane = 0; plane < planes; ++plane)
      for (std::size_t i = 0; i < floats; ++i)
        made.values[(row * planes + plane) * floats + i] = from.values[(plane * rows + row) * floats + i];
  return made;
}

/// A stream whose rows are each driven through their own sequence; every input has the batch first. Counts
/// are in strides of the stream.
template <class M, dim time>
class driven_rows {
public:
  using stream_type = decltype(stream<time>(std::declval<const M&>(), std::declval<const model_weights&>()));

  driven_rows(const M& model, const named_values& inputs, const model_weights& from,
              const compile_options& options)
      : inputs_(inputs), whole_(run_model<f32>(model, from, inputs)),
        live(stream<time>(model, from, options)) {
    begin();
  }

  void begin() {
    detail::begin<M, time>(live, inputs_);
    at.assign(rows(), 0);
    of.resize(rows());
    for (std::size_t row = 0; row < rows(); ++row) of[row] = row;
  }
  static constexpr auto stride = static_cast<std::size_t>(stream_type::stride);
  std::size_t rows() const { return inputs_.begin()->second.shape[0]; }

  /// The next `count` positions of each row, or of row i the first lengths[i] of them; checked against the
  /// whole sequences. Returns what came of each row.
  std::vector<std::vector<double>> step(std::size_t count, const std::vector<std::size_t>& lengths = {}) {
    std::vector<std::size_t> taken = lengths;
    for (std::size_t& length : taken) length *= stride;
    named_values part = inputs_;
    for (const named_value& in : M::view.inputs)
      if (const int axis = detail::axis_of_time<M, time>(in.node); axis > 0)
        part[in.name] = part_of_rows(inputs_.at(in.name), static_cast<std::size_t>(axis), count);
    const named_values found = step_with(part, taken);
    std::vector<std::vector<double>> made(rows());
    for (const named_value& out : M::view.outputs) {
      const int of_time = detail::axis_of_time<M, time>(out.node);
      if (of_time < 0) continue;
      const std::size_t of_batch = axis_of_batch(out.node);
      const auto axis = static_cast<std::size_t>(of_time) + 1; // behind the rows
      golden_tensor right = part_of_rows(rows_first(whole_.at(out.name), of_batch, rows()), axis, count);
      const golden_tensor values = rows_first(found.at(out.name), of_batch, rows());
      REQUIRE(values.shape == right.shape);
      if (!lengths.empty()) clear_ends(right, axis, lengths, count);
      CHECK(distance_of(std::span<const double>(values.values), right, 2e-5, 2e-5).share <= 1);
      const std::size_t size = values.values.size() / rows();
      for (std::size_t row = 0; row < rows(); ++row)
        made[row].insert(made[row].end(), values.values.begin() + static_cast<std::ptrdiff_t>(row * size),
                         values.values.begin() + static_cast<std::ptrdiff_t>((row + 1) * size));
    }
    for (std::size_t row = 0; row < rows(); ++row) {
      at[row] += lengths.empty() ? count : lengths[row];
      CHECK(live.position(row) == static_cast<std::int64_t>(at[row] * stride));
    }
    return made;
  }
  void reset(std::size_t row) {
    live.reset(row);
    at[row] = 0;
  }
  void copy(std::size_t from, std::size_t to) {
    live.copy(from, to);
    at[to] = at[from];
    of[to] = of[from];
  }

private:
  named_values inputs_, whole_;

public:
  stream_type live;
  std::vector<std::size_t> at, of; // of each row: its position, and whose sequence it goes through

private:
  /// The first axis of an output that is of the batch.
  static std::size_t axis_of_batch(int id) {
    const shape& s = M::view.at(id).shape;
    const dim batch = M::view.dim_of(M::view.at(M::view.inputs[0].node).shape.dims[0]);
    int axis = 0;
    while (axis < s.rank && !M::view.dim_of(s.dims[axis]).mentions(batch)) ++axis;
    REQUIRE(axis < s.rank);
    return static_cast<std::size_t>(axis);
  }
  golden_tensor part_of_rows(const golden_tensor& from, std::size_t axis, std::size_t count) const {
    golden_tensor made = from;
    const std::size_t piece = from.shape[axis] / detail::pieces_of<M, time, stream_type>(inputs_);
    count *= piece;
    made.shape[axis] = count;
    made.values.clear();
    std::size_t planes = 1, floats = 1;
    for (std::size_t i = 1; i < axis; ++i) planes *= from.shape[i];
    for (std::size_t i = axis + 1; i < from.shape.size(); ++i) floats *= from.shape[i];
    const std::size_t length = from.shape[axis];
    for (std::size_t row = 0; row < rows(); ++row)
      for (std::size_t plane = 0; plane < planes; ++plane)
        for (std::size_t i = 0; i < count * floats; ++i) {
          const std::size_t place = at[row] * piece * floats + i; // beyond the end: the last position's
          made.values.push_back(
              from.values[((of[row] * planes + plane) * length) * floats +
                          (place < length * floats ? place : (length - 1) * floats + i % floats)]);
        }
    return made;
  }
  void clear_ends(golden_tensor& of_rows, std::size_t axis, const std::vector<std::size_t>& lengths,
                  std::size_t count) const {
    std::size_t floats = 1;
    for (std::size_t i = axis + 1; i < of_rows.shape.size(); ++i) floats *= of_rows.shape[i];
    const std::size_t size = of_rows.values.size() / rows(), positions = of_rows.shape[axis];
    for (std::size_t i = 0; i < of_rows.values.size(); ++i)
      if (i / floats % positions >= lengths[i / size] * positions / count) of_rows.values[i] = 0;
  }
  named_values step_with(const named_values& part, const std::vector<std::size_t>& lengths) {
    return lengths.empty() ? detail::step<M, time>(live, part)
                           : detail::step<M, time>(live, part, std::span<const std::size_t>(lengths));
  }
};

/// Rows of a stream go through sequences of at least 16 positions at a pace of their own: prompts of unequal
/// lengths, single rows reset, copied, saved, loaded and rewound; bit for bit, a row does what it does wherever the
/// others stand, and in a stream that has no more `room` than the inputs need.
template <dim time, class M>
void check_rows(const M& model, const named_values& inputs, const model_weights& from,
                cache_format cache = {}, const std::vector<dim_size>& room = {}) {
  compile_options options = detail::with_room<M>(inputs, room), fewer = detail::fitting<M>(inputs);
  options.cache = fewer.cache = cache;
  driven_rows<M, time> rows(model, inputs, from, options);
  if constexpr (!decltype(rows)::stream_type::counts_positions) // what is taken in one step is enough
    for (dim_size& d : fewer.capacity)
      if (d.symbol == time) d.size = 3 * static_cast<std::int64_t>(rows.stride);
  driven_rows<M, time> fresh(model, inputs, from, fewer);
  REQUIRE(rows.rows() == 3);
  INFO(instruction_set() << ", " << model.name);

  rows.step(5, {5, 2, 0});
  rows.step(1);
  rows.step(2);
  rows.step(3, {0, 3, 1}); // now at 8, 8 and 4
  rows.step(2, {0, 0, 2});
  rows.step(1, {0, 0, 0});

  // A row that is reset is as good as new.
  rows.reset(1);
  const auto first = rows.step(2)[1];
  CHECK(first == fresh.step(2)[1]);
  CHECK(rows.step(1)[1] == fresh.step(1)[1]);

  // A copy goes on as its origin does.
  rows.copy(1, 2);
  const auto both = rows.step(2);
  CHECK(both[1] == both[2]);
  CHECK(both[1] == fresh.step(2)[1]);

  // Saved and loaded, alone and all together.
  const stream_state all = rows.live.save();
  const stream_row one = rows.live.save(0);
  const auto at = rows.at;
  const auto next = rows.step(1), after = rows.step(1, {1, 0, 1});
  rows.live.load(all);
  rows.at = at;
  CHECK(rows.step(1) == next);
  CHECK(rows.step(1, {1, 0, 1}) == after);
  fresh.live.load(2, one);
  fresh.at[2] = at[0], fresh.of[2] = 0;
  CHECK(fresh.step(1)[2] == next[0]);
  CHECK(fresh.step(1, {0, 1, 1})[2] == after[0]);

  // Rewound, all together and alone.
  if constexpr (decltype(rows)::stream_type::can_rewind) {
    rows.live.rewind(rows.stride);
    for (const std::size_t row : {0u, 2u}) rows.live.rewind(row, rows.stride);
    rows.at = at;
    CHECK(rows.step(1) == next);
    CHECK(rows.step(1, {1, 0, 1}) == after);
  }

  // Reordered, they keep their positions.
  if constexpr (detail::inputs_that_move<M, time, false>().empty()) {
    const std::vector<std::size_t> order{2, 0, 1};
    rows.live.reorder(order);
    std::vector<std::size_t> moved_at, moved_of;
    for (const std::size_t row : order) moved_at.push_back(rows.at[row]), moved_of.push_back(rows.of[row]);
    rows.at = moved_at, rows.of = moved_of;
    rows.step(2, {1, 2, 2});
  }
}
template <dim time, class M>
void check_rows(const M& model, const std::map<std::string, std::size_t>& sizes) {
  check_rows<time>(model, random_inputs(model, sizes), random_weights(model));
}

} // namespace fovea::core::test
