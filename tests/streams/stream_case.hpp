#pragma once

// Holds a stream against the whole sequence: position by position, in chunks, begun anew, copied, saved.

#include "../compare_backends.hpp"

#include <fovea/runtime/stream.hpp>

namespace fovea::core::test {

namespace detail {

/// What the inputs need, and of some dims more.
template <class M>
compile_options with_room(const named_values& inputs, const std::vector<dim_size>& room) {
  compile_options options = fitting<M>(inputs);
  for (dim_size& d : options.capacity)
    for (const dim_size& more : room)
      if (d.symbol == more.symbol) d.size = more.size;
  return options;
}

/// Pieces first <= i < first + count of the `pieces` of an input along one axis.
inline golden_tensor part_of(const golden_tensor& from, std::size_t axis, std::size_t first,
                             std::size_t count, std::size_t pieces) {
  golden_tensor made = from;
  first *= from.shape[axis] / pieces, count *= from.shape[axis] / pieces;
  made.shape[axis] = count;
  made.values.clear();
  std::size_t before = 1, after = 1;
  for (std::size_t i = 0; i < axis; ++i) before *= from.shape[i];
  for (std::size_t i = axis + 1; i < from.shape.size(); ++i) after *= from.shape[i];
  for (std::size_t b = 0; b < before; ++b)
    for (std::size_t i = (b * from.shape[axis] + first) * after;
         i < (b * from.shape[axis] + first + count) * after; ++i)
      made.values.push_back(from.values[i]);
  return made;
}

/// A sequence of outputs as it comes: after so many zeros.
inline golden_tensor later(const golden_tensor& whole, std::size_t axis, std::size_t by) {
  if (by == 0) return whole;
  golden_tensor made = whole;
  made.shape[axis] += by;
  made.values.clear();
  std::size_t planes = 1;
  for (std::size_t i = 0; i < axis; ++i) planes *= whole.shape[i];
  const std::size_t plane = whole.values.size() / planes, position = plane / whole.shape[axis];
  for (std::size_t i = 0; i < planes; ++i) {
    made.values.insert(made.values.end(), by * position, 0);
    const auto first = whole.values.begin() + static_cast<std::ptrdiff_t>(i * plane);
    made.values.insert(made.values.end(), first, first + static_cast<std::ptrdiff_t>(plane));
  }
  return made;
}

inline void check_close(const golden_tensor& found, const golden_tensor& right, double tolerance = 2e-5) {
  REQUIRE(found.shape == right.shape);
  CHECK(distance_of(std::span<const double>(found.values), right, tolerance, tolerance).share <= 1);
}

/// Which axis of an input or output is of `time`, or of what strides leave of it, or -1.
template <class M, dim time>
int axis_of_time(int id) {
  const node& n = M::view.at(id);
  for (int axis = 0; axis < n.shape.rank; ++axis)
    if (!M::view.is_number(n.shape.dims[axis]) && M::view.dim_of(n.shape.dims[axis]).mentions(time))
      return axis;
  return -1;
}

template <class M, dim time, bool moving>
constexpr auto inputs_that_move() {
  constexpr auto moves = [](std::size_t i) {
    const node& n = M::view.at(M::view.inputs[i].node);
    for (int axis = 0; axis < n.shape.rank; ++axis)
      if (!M::view.is_number(n.shape.dims[axis]) && M::view.dim_of(n.shape.dims[axis]).mentions(time))
        return true;
    return false;
  };
  constexpr std::size_t count = [moves] {
    std::size_t n = 0;
    for (std::size_t i = 0; i < M::view.inputs.size(); ++i) n += moves(i) == moving;
    return n;
  }();
  std::array<std::size_t, count> found{};
  std::size_t n = 0;
  for (std::size_t i = 0; i < M::view.inputs.size(); ++i)
    if (moves(i) == moving) found[n++] = i;
  return found;
}

template <class M, dim time, class stream_type>
void begin(stream_type& live, const named_values& inputs) {
  constexpr auto still = inputs_that_move<M, time, false>();
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    live.begin((input_key<boundary_name<M, true, still[k]>>{} = given<M, still[k]>(inputs))...);
  }
  (std::make_index_sequence<still.size()>{});
}

template <class M, class call>
named_values values_of(const call& result) {
  named_values made;
  const auto keep = [&](const char* name, const auto& view) {
    made[name] = {{view.shape().begin(), view.shape().end()}, {view.begin(), view.end()}, false};
  };
  [&]<std::size_t... out>(std::index_sequence<out...>) {
    (keep(M::view.outputs[out].name, result[output_key<boundary_name<M, false, out>>{}]), ...);
  }
  (std::make_index_sequence<M::view.outputs.size()>{});
  return made;
}

template <class M, dim time, class stream_type, class... lengths>
named_values step(stream_type& live, const named_values& inputs, const lengths&... of_rows) {
  constexpr auto moving = inputs_that_move<M, time, true>();
  return [&]<std::size_t... k>(std::index_sequence<k...>) {
    return values_of<M>(live.step(
        of_rows..., (input_key<boundary_name<M, true, moving[k]>>{} = given<M, moving[k]>(inputs))...));
  }
  (std::make_index_sequence<moving.size()>{});
}

/// How many strides of a stream its inputs are.
template <class M, dim time, class stream_type>
std::size_t pieces_of(const named_values& inputs) {
  for (const named_value& in : M::view.inputs)
    if (const int axis = axis_of_time<M, time>(in.node); axis >= 0)
      return inputs.at(in.name).shape[static_cast<std::size_t>(axis)] /
             static_cast<std::size_t>(stream_type::stride);
  return 0;
}

} // namespace detail

/// Inputs of which those with an axis of time are pieces at <= i < at + count of the `pieces` of it.
template <class M, dim time>
named_values part_of_inputs(const named_values& inputs, std::size_t at, std::size_t count,
                            std::size_t pieces) {
  named_values made = inputs;
  for (const named_value& in : M::view.inputs)
    if (const int axis = detail::axis_of_time<M, time>(in.node); axis >= 0)
      made[in.name] = detail::part_of(inputs.at(in.name), static_cast<std::size_t>(axis), at, count, pieces);
  return made;
}

/// Checks steps of the given numbers of strides and then, where the model looks ahead, so many to the end,
/// against the whole sequence: outputs with an axis of time where they lie, the others at the end.
template <class M, dim time, class stream_type>
void check_steps(stream_type& live, const named_values& inputs, const named_values& whole,
                 std::span<const std::size_t> steps, double tolerance = 2e-5,
                 std::span<const std::size_t> ending = {}) {
  constexpr auto late = static_cast<std::size_t>(stream_type::latency / stream_type::stride);
  const std::size_t pieces = detail::pieces_of<M, time, stream_type>(inputs);
  std::size_t at = 0;
  named_values found;
  const auto check_along_time = [&](std::size_t count) {
    at += count;
    for (const named_value& out : M::view.outputs) {
      const int of_time = detail::axis_of_time<M, time>(out.node);
      if (of_time < 0) continue;
      const auto axis = static_cast<std::size_t>(of_time);
      const golden_tensor& all = whole.at(out.name);
      INFO("output " << out.name << ", " << count << " positions up to " << at);
      const golden_tensor delayed = detail::later(all, axis, late * (all.shape[axis] / pieces));
      detail::check_close(found.at(out.name),
                          detail::part_of(delayed, axis, at - count, count, pieces + late), tolerance);
    }
  };
  for (const std::size_t count : steps) {
    found = detail::step<M, time>(live, part_of_inputs<M, time>(inputs, at, count, pieces));
    check_along_time(count);
  }
  if constexpr (late > 0)
    for (const std::size_t count : ending) {
      found = detail::values_of<M>(live.finish(count * stream_type::stride));
      check_along_time(count);
    }
  if (at != pieces + late) return;
  for (const named_value& out : M::view.outputs)
    if (detail::axis_of_time<M, time>(out.node) < 0) {
      INFO("output " << out.name << " in the end");
      detail::check_close(found.at(out.name), whole.at(out.name), tolerance);
    }
}

/// The law of streams: a sequence equals its steps and its chunks; begun anew equals fresh; what is saved and
/// loaded, rewound, or copied, goes on bit for bit as if nothing had been; rows that are reordered go on as
/// what they were. Its capacity is what the inputs need, but for dims that are given more `room`.
template <dim time, class M>
void check_stream(const M& model, const named_values& inputs, const model_weights& from,
                  double tolerance = 2e-5, cache_format cache = {}, const std::vector<dim_size>& room = {}) {
  check_passes<pipelines::stream_step<typename M::source, time>>();
  check_passes<pipelines::stream_begin<typename M::source, time>>();
  const named_values whole = run_model<f32>(model, from, inputs);
  compile_options options = detail::with_room<M>(inputs, room);
  options.threads = 2;
  options.cache = cache;
  auto live = stream<time>(model, from, options);
  constexpr auto stride = static_cast<std::size_t>(decltype(live)::stride);
  const std::size_t length = detail::pieces_of<M, time, decltype(live)>(inputs);
  REQUIRE(length > 4);
  INFO(instruction_set() << ", " << model.name);
  const std::vector<std::size_t> single(length, 1), chunks{2, 1, length - 3}, all{length}, first{3},
      rest{1, length - 4};
  std::vector<std::size_t> drawn; // as if at random, by the model's name
  for (std::size_t at = 0; at < length; at += drawn.back())
    drawn.push_back(std::min<std::size_t>(length - at, 1 + splitmix64(fnv1a64(model.name) + at) % 5));
  for (const auto& steps : {single, chunks, all, drawn, single}) {
    detail::begin<M, time>(live, inputs);
    check_steps<M, time>(live, inputs, whole, steps, tolerance);
    CHECK(live.position() == static_cast<std::int64_t>(length * stride));
  }

  if constexpr (!decltype(live)::counts_positions) {
    compile_options fewer = options;
    for (dim_size& d : fewer.capacity)
      if (d.symbol == time) d.size = 2 * stride;
    auto endless = stream<time>(model, from, fewer);
    detail::begin<M, time>(endless, inputs);
    std::vector<std::size_t> pairs(length / 2, 2);
    check_steps<M, time>(endless, inputs, whole, pairs, tolerance);
  }

  const auto part = [&](std::size_t at, std::size_t count) {
    return part_of_inputs<M, time>(inputs, at, count, length);
  };
  const auto values_of_step = [&](auto& of, std::size_t at, std::size_t count) {
    std::map<std::string, std::vector<double>> values;
    for (const auto& [name, value] : detail::step<M, time>(of, part(at, count))) values[name] = value.values;
    return values;
  };
  detail::begin<M, time>(live, inputs);
  values_of_step(live, 0, 3);
  const stream_state saved = live.save();
  auto copy = live;
  const auto next = values_of_step(live, 3, 1), after = values_of_step(live, 4, length - 4);
  CHECK(values_of_step(copy, 3, 1) == next);
  live.load(saved);
  CHECK(live.position() == 3 * stride);
  CHECK(values_of_step(live, 3, 1) == next);
  CHECK(values_of_step(copy, 4, length - 4) == after);
  CHECK(values_of_step(live, 4, length - 4) == after);
  if constexpr (decltype(live)::can_rewind) {
    live.rewind((length - 3) * stride);
    CHECK(live.position() == 3 * stride);
    CHECK(values_of_step(live, 3, 1) == next);
    CHECK(values_of_step(live, 4, length - 4) == after);
  }
}

/// The same with values of given sizes.
template <dim time, class M>
void check_stream(const M& model, const std::map<std::string, std::size_t>& sizes, double tolerance = 2e-5) {
  check_stream<time>(model, random_inputs(model, sizes), random_weights(model), tolerance);
}

/// Rows that are reordered, and fewer of them, go on as what they were. Every input has the batch first.
template <dim time, class M>
void check_reordered(const M& model, const named_values& inputs, const model_weights& from,
                     const std::vector<std::size_t>& rows) {
  INFO(instruction_set() << ", " << model.name);
  const auto chosen = [&](const golden_tensor& of) {
    golden_tensor made = of;
    made.shape[0] = rows.size();
    made.values.clear();
    const std::size_t size = of.values.size() / of.shape[0];
    for (const std::size_t row : rows)
      made.values.insert(made.values.end(), of.values.begin() + static_cast<std::ptrdiff_t>(row * size),
                         of.values.begin() + static_cast<std::ptrdiff_t>((row + 1) * size));
    return made;
  };
  auto live = stream<time>(model, from, detail::fitting<M>(inputs));
  const std::size_t pieces = detail::pieces_of<M, time, decltype(live)>(inputs);
  named_values reordered;
  for (const auto& [name, value] : inputs) reordered[name] = chosen(value);
  const named_values whole = run_model<f32>(model, from, reordered);
  detail::begin<M, time>(live, inputs);
  detail::step<M, time>(live, part_of_inputs<M, time>(inputs, 0, 3, pieces));
  live.reorder(rows);
  const named_values found = detail::step<M, time>(live, part_of_inputs<M, time>(reordered, 3, 2, pieces));
  for (const named_value& out : M::view.outputs)
    if (const int axis = detail::axis_of_time<M, time>(out.node); axis >= 0) {
      const golden_tensor right =
          detail::part_of(whole.at(out.name), static_cast<std::size_t>(axis), 3, 2, pieces);
      CHECK(distance_of(std::span<const double>(found.at(out.name).values), right, 2e-5, 2e-5).share <= 1);
    }
}

} // namespace fovea::core::test
