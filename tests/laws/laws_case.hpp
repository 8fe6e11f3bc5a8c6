#pragma once

// What holds for every model of the catalogue, bit for bit: neither threads, nor what the object did before,
// nor the memory it has, nor a file that its weights were saved in, nor whether a repeat is written out,
// changes a result.

#include "../run_model.hpp"
#include "../weights/temporary_folder.hpp"

#include <fovea/weights/save_weights.hpp>

namespace fovea::core::test {

using sizes = std::map<std::string, std::size_t>;

/// Inputs of the given sizes, the same for the same name and sizes. Integers suit as ids, types and lengths:
/// they are 1, or 1 to 6 where the model has more than two of what they number.
template <class M>
named_values inputs_for(const M&, const sizes& of) {
  const graph_view& g = M::view;
  named_values made;
  for (const named_value& input : g.inputs) {
    golden_tensor value;
    std::size_t count = 1;
    for (int axis = 0; axis < g.at(input.node).shape.rank; ++axis) {
      const int d = g.at(input.node).shape[axis];
      sentence label;
      label << g.dim_of(d);
      value.shape.push_back(g.is_number(d) ? static_cast<std::size_t>(g.number(d)) : of.at(label.text));
      count *= value.shape.back();
    }
    value.whole = g.at(input.node).type == element::i32;
    const std::string name = input.name;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t bits = splitmix64(fnv1a64(name) + i) >> 40;
      const double real = static_cast<double>(bits) / 8388608.0 - 1;
      value.values.push_back(!value.whole                   ? static_cast<double>(static_cast<float>(real))
                             : std::string("types") == name ? static_cast<double>(bits % 2)
                                                            : static_cast<double>(1 + bits % 6));
    }
    made[name] = value;
  }
  return made;
}

inline void check_same_bits(const named_values& found, const named_values& expected) {
  REQUIRE(found.size() == expected.size());
  for (const auto& [name, value] : expected) {
    INFO("output " << name);
    CHECK(found.at(name).shape == value.shape);
    CHECK(std::all_of(value.values.begin(), value.values.end(), [](double x) { return std::isfinite(x); }));
    CHECK(found.at(name).values == value.values);
  }
}

/// More positions than a tile of attention holds, more rows than a block of a product; and few.
inline const sizes many{{"B", 3},  {"T", 37}, {"S", 70}, {"H", 9},
                        {"W", 11}, {"C", 5},  {"F", 75}, {"N", 1700}},
    few{{"B", 2}, {"T", 5}, {"S", 3}, {"H", 2}, {"W", 3}, {"C", 1}, {"F", 9}, {"N", 900}};

template <class M>
void check_laws(const M& model) {
  INFO("model " << model.name);
  const model_weights from = formula_weights(model);
  const named_values large_call = inputs_for(model, many), small_call = inputs_for(model, few);
  const named_values large_result = run_model<f32>(model, from, large_call),
                     small_result = run_model<f32>(model, from, small_call);
  for (int threads : {2, 3, 5}) {
    INFO(threads << " threads");
    check_same_bits(run_model<f32>(model, from, large_call, threads), large_result);
    check_same_bits(run_model<f32>(model, from, small_call, threads), small_result);
  }

  compile_options options = test::detail::fitting<M>(large_call);
  options.threads = 2;
  auto net = compile(model, from, options);
  {
    INFO("a small call after a large one, and a large one after a small one");
    check_same_bits(call_model(model, net, large_call), large_result);
    check_same_bits(call_model(model, net, small_call), small_result);
    check_same_bits(call_model(model, net, large_call), large_result);
  }
  {
    INFO("a copy, and the object that it was made from");
    auto copy = net;
    check_same_bits(call_model(model, copy, small_call), small_result);
    check_same_bits(call_model(model, net, large_call), large_result);
    check_same_bits(call_model(model, copy, large_call), large_result);
  }
  {
    INFO("weights that are saved and read back");
    const temporary_folder folder;
    save_weights<f32>(folder / "x.gguf", model, from);
    check_same_bits(run_model<f32>(model, load_weights(folder / "x.gguf"), small_call), small_result);
  }
}

} // namespace fovea::core::test
