#pragma once

// Holds the stream of a model that looks ahead against the whole sequence: its outputs come `latency`
// positions later, and the last ones when the sequence has ended.

#include "../message_of.hpp"
#include "stream_case.hpp"

namespace fovea::test {

namespace detail {

/// A sequence of outputs as it comes: after so many zeros.
inline golden_tensor later(const golden_tensor& whole, std::size_t axis, std::size_t by) {
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

/// Steps of the given numbers of strides, and then so many to the end.
template <class M, dim time, class stream_type>
void check_ahead(stream_type& live, const named_values& inputs, const named_values& whole,
                 const std::vector<std::size_t>& steps, const std::vector<std::size_t>& ending,
                 double tolerance) {
  constexpr auto late = static_cast<std::size_t>(stream_type::latency / stream_type::stride);
  const std::size_t pieces = pieces_of<M, time, stream_type>(inputs);
  std::size_t at = 0;
  named_values found;
  const auto check = [&](std::size_t count) {
    at += count;
    for (const named_value& out : M::view.outputs) {
      const int of_time = axis_of_time<M, time>(out.node);
      if (of_time < 0) continue;
      const auto axis = static_cast<std::size_t>(of_time);
      const golden_tensor& all = whole.at(out.name);
      INFO("output " << out.name << ", " << count << " positions up to " << at);
      check_close(found.at(out.name),
                  part_of(later(all, axis, late * (all.shape[axis] / pieces)), axis, at - count, count,
                          pieces + late),
                  tolerance);
    }
  };
  for (const std::size_t count : steps) {
    found = step<M, time>(live, part_of_inputs<M, time>(inputs, at, count, pieces));
    check(count);
  }
  for (const std::size_t count : ending) {
    found = values_of<M>(live.finish(count * stream_type::stride));
    check(count);
  }
  if (at == pieces + late)
    for (const named_value& out : M::view.outputs)
      if (axis_of_time<M, time>(out.node) < 0) {
        INFO("output " << out.name << " in the end");
        check_close(found.at(out.name), whole.at(out.name), tolerance);
      }
}

} // namespace detail

/// A sequence equals what comes of its steps and of its end; begun anew, copied, saved and loaded.
template <dim time, class M>
void check_stream_ahead(const M& model, const named_values& inputs, const weights& from,
                        double tolerance = 2e-5, std::size_t fewest = 1) {
  const named_values whole = run_model<f32>(model, from, inputs);
  compile_options options = detail::fitting<M>(inputs);
  options.threads = 2;
  using stream_type = decltype(stream<time>(model, from, options));
  constexpr auto late = static_cast<std::size_t>(stream_type::latency / stream_type::stride);
  for (dim_size& d : options.capacity)
    if (d.symbol == time) d.size += stream_type::latency;
  auto live = stream<time>(model, from, options);
  const std::size_t length = detail::pieces_of<M, time, stream_type>(inputs);
  REQUIRE(length > 4);
  INFO(instruction_set() << ", " << model.name);
  const std::vector<std::size_t> single(length, 1), all{length}, chunks{2, 1, length - 3}, ones(late, 1),
      whole_end{late};
  for (const auto& [steps, ending] :
       {std::pair{single, ones}, {chunks, whole_end}, {all, ones}, {single, whole_end}}) {
    detail::begin<M, time>(live, inputs);
    detail::check_ahead<M, time>(live, inputs, whole, steps, ending, tolerance);
    CHECK(live.position() == static_cast<std::int64_t>(length + late) * stream_type::stride);
    CHECK(message_of<fovea::error>([&] { live.finish(stream_type::stride); }).find("are to come of row 0") !=
          std::string::npos);
  }

  // A sequence that is shorter than what is waited for.
  const named_values few = part_of_inputs<M, time>(inputs, 0, fewest, length);
  detail::begin<M, time>(live, inputs);
  detail::check_ahead<M, time>(live, few, run_model<f32>(model, from, few), {fewest}, ones, tolerance);

  if constexpr (!stream_type::counts_positions) {
    compile_options fewer = options;
    for (dim_size& d : fewer.capacity)
      if (d.symbol == time)
        d.size = std::max<std::int64_t>(2 * stream_type::stride, static_cast<std::int64_t>(fewest));
    auto endless = stream<time>(model, from, fewer);
    detail::begin<M, time>(endless, inputs);
    detail::check_ahead<M, time>(endless, inputs, whole, std::vector<std::size_t>(length / 2, 2),
                                 length % 2 == 0 ? ones : std::vector<std::size_t>{}, tolerance);
  }

  // In the middle, and at the end.
  detail::begin<M, time>(live, inputs);
  detail::step<M, time>(live, part_of_inputs<M, time>(inputs, 0, 3, length));
  auto copy = live;
  const stream_state saved = live.save();
  const auto rest = [&](auto& of) {
    named_values made = detail::step<M, time>(of, part_of_inputs<M, time>(inputs, 3, length - 3, length));
    std::vector<std::vector<double>> values;
    for (const auto& [name, value] : made) values.push_back(value.values);
    made = detail::values_of<M>(of.finish(stream_type::stride));
    const stream_state ended = of.save();
    of.load(ended);
    for (const auto& [name, value] : made) values.push_back(value.values);
    if (late == 1) return values;
    for (const auto& [name, value] : detail::values_of<M>(of.finish((late - 1) * stream_type::stride)))
      values.push_back(value.values);
    return values;
  };
  const auto right = rest(live);
  CHECK(rest(copy) == right);
  live.load(saved);
  CHECK(rest(live) == right);
}

/// The same with values of given sizes.
template <dim time, class M>
void check_stream_ahead(const M& model, const std::map<std::string, std::size_t>& sizes,
                        std::size_t fewest = 1) {
  check_stream_ahead<time>(model, random_inputs(model, sizes), random_weights(model), 2e-5, fewest);
}

} // namespace fovea::test
