#pragma once

// Holds the stream of a model that looks ahead against the whole sequence: its outputs come `latency`
// positions later, and the last ones when the sequence has ended.

#include "../message_of.hpp"
#include "stream_case.hpp"

namespace fovea::core::test {

/// A sequence equals what comes of its steps and of its end; begun anew, copied, saved and loaded.
template <dim time, class M>
void check_stream_ahead(const M& model, const named_values& inputs, const model_weights& from,
                        double tolerance = 2e-5, std::size_t fewest = 1) {
  check_passes<pipelines::stream_step<typename M::source, time>>();
  check_passes<pipelines::stream_begin<typename M::source, time>>();
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
    check_steps<M, time>(live, inputs, whole, steps, tolerance, ending);
    CHECK(live.position() == static_cast<std::int64_t>(length + late) * stream_type::stride);
    CHECK(message_of<fovea::error>([&] { live.finish(stream_type::stride); }).find("are to come of row 0") !=
          std::string::npos);
  }

  // A sequence that is shorter than what is waited for.
  const named_values few = part_of_inputs<M, time>(inputs, 0, fewest, length);
  detail::begin<M, time>(live, inputs);
  check_steps<M, time>(live, few, run_model<f32>(model, from, few), std::vector{fewest}, tolerance, ones);

  if constexpr (!stream_type::counts_positions) {
    compile_options fewer = options;
    for (dim_size& d : fewer.capacity)
      if (d.symbol == time)
        d.size = std::max<std::int64_t>(2 * stream_type::stride, static_cast<std::int64_t>(fewest));
    auto endless = stream<time>(model, from, fewer);
    detail::begin<M, time>(endless, inputs);
    check_steps<M, time>(endless, inputs, whole, std::vector<std::size_t>(length / 2, 2), tolerance,
                         length % 2 == 0 ? ones : std::vector<std::size_t>{});
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

} // namespace fovea::core::test
