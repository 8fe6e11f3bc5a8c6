#pragma once

// What a model that was drawn by chance is held against: its kernels against the specification, its gradients
// likewise and, where all that it is made of is smooth, against difference quotients, its stream against the
// whole sequence.

#include "../streams/stream_ahead_case.hpp"
#include "../training/gradient_case.hpp"

#include <random>

namespace fovea::core::test {

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

namespace detail {

/// Each number by up to its last digit of float32 more or less.
template <class numbers>
void shake(numbers& values, std::mt19937_64& random) {
  for (auto& x : values)
    x *= 1 + static_cast<std::remove_reference_t<decltype(x)>>(
                 std::ldexp(std::uniform_real_distribution<>(-1, 1)(random), -23));
}

} // namespace detail

/// By how much of an output's largest element the outputs change when inputs and parameters change by their
/// last digits: what of a difference between two ways to compute them is the model's own.
template <class M>
double shaken_by(const M& model, const std::map<std::string, std::size_t>& sizes, std::mt19937_64& random) {
  named_values inputs = random_inputs(model, sizes);
  auto tensors = random_tensors(model);
  const named_values expected = run_model<reference>(model, model_weights::from(tensors), inputs);
  for (auto& [name, input] : inputs)
    if (!input.whole) detail::shake(input.values, random);
  for (auto& [name, tensor] : tensors) detail::shake(tensor.values, random);
  double most = 0;
  for (const auto& [name, found] : run_model<reference>(model, model_weights::from(tensors), inputs))
    most = std::max(most, distance_of(std::span<const double>(found.values), expected.at(name), 0, 1).share);
  return most;
}

/// `smooth`: whether difference quotients tell its gradients.
template <class M>
void check_drawn(const M& model, std::uint64_t seed, bool smooth) {
  INFO(model.name << ", on the kernels of " << instruction_set());
  std::mt19937_64 random(seed);
  const auto size = [&](std::size_t least, std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(least, most)(random);
  };
  // What is looked for is wrong by as much as the values themselves: kernels are held to their last digits
  // one by one elsewhere. In a chain of words drawn by chance float32 loses more of them, where what is large
  // cancels; in gradients by attention to keys that are nearly equal, three more.
  constexpr double of_values = 1e-4, of_gradients = 1e-3;
  const auto tolerance = [&](const auto& of, const auto& sizes, double least) {
    return least + 32 * shaken_by(of, sizes, random);
  };
  for (int round = 0; round < 2; ++round) {
    const std::map<std::string, std::size_t> sizes{
        {"B", size(1, 4)}, {"T", size(18, 40)}, {"S", size(18, 24)}};
    INFO("B " << sizes.at("B") << ", T " << sizes.at("T") << ", S " << sizes.at("S"));
    compare(model, sizes, tolerance(model, sizes, of_values));
  }
  if constexpr (!M::view.parameters.empty()) {
    const std::map<std::string, std::size_t> sizes{
        {"B", size(1, 3)}, {"T", size(18, 22)}, {"S", size(18, 20)}};
    const auto differentiated = gradients<true>(model);
    // A gradient that is zero by its meaning, as that of the score of a single key, is zero up to what is
    // rounded of the others that it is made of.
    const double last_digits = tolerance(differentiated, sizes, of_gradients);
    compare(differentiated, sizes, last_digits, last_digits);
    if (smooth) check_difference_quotients(model, sizes);
  }
  using stepping = fovea::core::detail::streamed_step<typename M::source, T>;
  if constexpr (stepping::error.empty()) {
    constexpr auto stride = static_cast<std::size_t>(stepping::result.stride);
    const std::map<std::string, std::size_t> sizes{
        {"B", size(1, 3)}, {"T", stride * size(18, 21)}, {"S", size(18, 20)}};
    const named_values inputs = random_inputs(model, sizes);
    const model_weights made = random_weights(model);
    const double last_digits = tolerance(model, sizes, of_values);
    if constexpr (stepping::result.latency == 0)
      check_stream<T>(model, inputs, made, last_digits);
    else
      check_stream_ahead<T>(model, inputs, made, last_digits);
  }
}

} // namespace fovea::core::test
