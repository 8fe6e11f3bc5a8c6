#pragma once

// Holds a model at its last position alone against the last position of all that it gives.

#include "stream_case.hpp"

#include <fovea/dsl/passes/last.hpp>

namespace fovea::core::test {

namespace detail {

/// Checks what a model at its last position gave against position `at`, of all, of what the model gave.
template <class M, dim time>
void check_last_of(const named_values& found, const named_values& all, bool to_the_bit) {
  for (const named_value& out : M::view.outputs) {
    INFO("output " << out.name);
    golden_tensor right = all.at(out.name);
    if (const int axis = axis_of_time<M, time>(out.node); axis >= 0) {
      const auto along = static_cast<std::size_t>(axis);
      right = part_of(right, along, right.shape[along] - 1, 1, right.shape[along]);
      right.shape.erase(right.shape.begin() + axis);
    }
    const golden_tensor& values = found.at(out.name);
    REQUIRE(values.shape == right.shape);
    if (to_the_bit)
      CHECK(values.values == right.values);
    else
      CHECK(distance_of(std::span<const double>(values.values), right, 2e-5, 2e-5).share <= 1);
  }
}

} // namespace detail

/// last<T>(model) gives of a whole sequence, on both backends, and at each step of a stream what the model
/// gives at the last position.
template <dim time, class M>
void check_last(const M& model, const std::map<std::string, std::size_t>& sizes) {
  using detail::check_last_of;
  const auto at_last = last<time>(model);
  const named_values inputs = random_inputs(model, sizes);
  const model_weights from = random_weights(model);
  INFO(instruction_set() << ", " << model.name);
  check_last_of<M, time>(run_model<reference>(at_last, from, inputs),
                         run_model<reference>(model, from, inputs), true);
  for (const int threads : {1, 3})
    check_last_of<M, time>(run_model<f32>(at_last, from, inputs, threads),
                           run_model<f32>(model, from, inputs), false);

  const compile_options options = detail::fitting<M>(inputs);
  auto live = stream<time>(at_last, from, options);
  auto full = stream<time>(model, from, options);
  CHECK(live.state_bytes() == full.state_bytes());
  static_assert(decltype(live)::has_single_position == decltype(full)::has_single_position);
  const std::size_t length = detail::pieces_of<M, time, decltype(live)>(inputs);
  REQUIRE(length > 5);
  const auto part = [&](std::size_t at, std::size_t count) {
    return part_of_inputs<M, time>(inputs, at, count, length);
  };
  using at_last_model = std::remove_const_t<decltype(at_last)>;
  detail::begin<M, time>(live, inputs);
  detail::begin<M, time>(full, inputs);
  std::size_t at = 0;
  for (const std::size_t count : {std::size_t{3}, std::size_t{1}, std::size_t{1}, length - 5}) {
    INFO(count << " positions from " << at);
    check_last_of<M, time>(detail::step<at_last_model, time>(live, part(at, count)),
                           detail::step<M, time>(full, part(at, count)), false);
    at += count;
  }
}

/// Rows of unequal lengths: each is given at the last position that it took, or is 0 where it took none.
template <dim time, class M>
void check_last_of_rows(const M& model, const std::map<std::string, std::size_t>& sizes) {
  const auto at_last = last<time>(model);
  using at_last_model = std::remove_const_t<decltype(at_last)>;
  const named_values inputs = random_inputs(model, sizes);
  const model_weights from = random_weights(model);
  INFO(instruction_set() << ", " << model.name);
  auto live = stream<time>(at_last, from, detail::fitting<M>(inputs));
  auto full = stream<time>(model, from, detail::fitting<M>(inputs));
  detail::begin<M, time>(live, inputs);
  detail::begin<M, time>(full, inputs);
  const std::size_t length = detail::pieces_of<M, time, decltype(live)>(inputs), rows = 3;
  const std::size_t stride = static_cast<std::size_t>(decltype(live)::stride);
  for (const std::vector<std::size_t>& pieces :
       {std::vector<std::size_t>{length, 2, 0}, std::vector<std::size_t>{0, 1, 4}}) {
    std::vector<std::size_t> lengths = pieces;
    for (std::size_t& of_row : lengths) of_row *= stride;
    const std::span<const std::size_t> of_rows(lengths);
    const named_values found = detail::step<at_last_model, time>(live, inputs, of_rows),
                       all = detail::step<M, time>(full, inputs, of_rows);
    for (const named_value& out : M::view.outputs)
      if (const int axis = detail::axis_of_time<M, time>(out.node); axis > 0) {
        const auto along = static_cast<std::size_t>(axis);
        const std::vector<double>& values = found.at(out.name).values;
        const std::size_t size = values.size() / rows;
        for (std::size_t row = 0; row < rows; ++row) {
          INFO("output " << out.name << ", row " << row);
          const std::size_t count = all.at(out.name).shape[along] / length;
          golden_tensor right = detail::part_of(
              all.at(out.name), along, std::max<std::size_t>(pieces[row] * count, 1) - 1, 1, count * length);
          right.values = {right.values.begin() + static_cast<std::ptrdiff_t>(row * size),
                          right.values.begin() + static_cast<std::ptrdiff_t>((row + 1) * size)};
          CHECK(distance_of(std::span<const double>(values).subspan(row * size, size), right, 2e-5, 2e-5)
                    .share <= 1);
        }
      }
    if constexpr (decltype(live)::counts_positions) break; // all are taken
  }
}

} // namespace fovea::core::test
