#pragma once

// The kernels against the specification, on values that look random.

#include "run_model.hpp"

namespace fovea::core::test {

/// Values that look random and are the same everywhere: floats within +-1, integers from 0 to below - 1.
golden_tensor values_of(const std::vector<std::size_t>& shape, bool whole, const std::string& name,
                        std::int64_t below = 7);

/// Tensors in the same manner for the parameters of a model, a batch_norm's variance above zero. Others for
/// another `salt`.
std::map<std::string, weight_tensor> random_tensors(const graph_view& g, const std::string& salt = "");
template <class M>
std::map<std::string, weight_tensor> random_tensors(const M&, const std::string& salt = "") {
  return random_tensors(M::view, salt);
}
template <class M>
model_weights random_weights(const M&) {
  return model_weights::from(random_tensors(M::view));
}

/// What float32 weights hold, by name: to be compared.
std::map<std::string, std::vector<float>> values_of(const model_weights& from);

/// Values for the inputs of a model, which have the given sizes for their symbols; integers below 7 that
/// tables and losses allow. Others for another `salt`.
named_values random_inputs(const graph_view& g, const std::map<std::string, std::size_t>& sizes,
                           const std::string& salt = "");
template <class M>
named_values random_inputs(const M&, const std::map<std::string, std::size_t>& sizes,
                           const std::string& salt = "") {
  return random_inputs(M::view, sizes, salt);
}

/// Checks what the kernels found against what the specification says. `tolerance` is of each element, and of
/// its output's largest. An output that is all zeros may differ by `of_all` of the largest of all outputs, or of
/// 1.
void check_near(const named_values& found, const named_values& expected, double tolerance, double of_all);

/// Holds the kernels against the specification, inputs having the given sizes for their symbols, with one
/// thread and with three, within what check_near allows.
template <class M>
void compare(const M& model, const std::map<std::string, std::size_t>& sizes, double tolerance = 1e-5,
             double of_all = 0) {
  const named_values inputs = random_inputs(M::view, sizes);
  const model_weights made = random_weights(model);
  const named_values expected = run_model<reference>(model, made, inputs);
  for (const int threads : {1, 3}) {
    INFO(instruction_set() << ", " << threads << " threads");
    check_near(run_model<f32>(model, made, inputs, threads), expected, tolerance, of_all);
  }
}

/// The same of nets of a larger capacity, each at all of these sizes, one after another and the first once more.
template <class M>
void compare_below(const M& model, const std::map<std::string, std::size_t>& capacity,
                   std::initializer_list<std::map<std::string, std::size_t>> all, double tolerance = 1e-5) {
  const model_weights made = random_weights(model);
  compile_options options = detail::fitting<M>(random_inputs(M::view, capacity));
  for (const int threads : {1, 3}) {
    options.threads = threads;
    auto net = compile<f32>(model, made, options);
    std::vector<std::map<std::string, std::size_t>> calls = all;
    calls.push_back(calls.front());
    for (const auto& sizes : calls) {
      std::string told = instruction_set() + (", " + std::to_string(threads)) + " threads";
      for (const auto& [symbol, size] : sizes) told += ", " + symbol + " = " + std::to_string(size);
      INFO(told);
      const named_values inputs = random_inputs(M::view, sizes);
      check_near(call_model(model, net, inputs), run_model<reference>(model, made, inputs), tolerance, 0);
    }
  }
}

/// The same at sizes that fit no vector, by nets of these sizes and of larger ones.
template <class M>
void compare_at_awkward_sizes(const M& model) {
  const std::initializer_list<std::map<std::string, std::size_t>> all = {
      {{"B", 1}, {"T", 1}, {"S", 1}}, {{"B", 3}, {"T", 7}, {"S", 5}}, {{"B", 2}, {"T", 17}, {"S", 13}}};
  for (const auto& sizes : all) compare(model, sizes);
  compare_below(model, {{"B", 3}, {"T", 17}, {"S", 13}}, all);
}

} // namespace fovea::core::test
