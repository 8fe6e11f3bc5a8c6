#pragma once

// Runs a model that a test declares, at run time, on the reference backend.

#include "../../golden_case.hpp"
#include "../../view_of.hpp"

#include <fovea/backends/reference/reference.hpp>
#include <fovea/base/error.hpp>
#include <fovea/dsl.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace fovea::core::test {

using array = reference_program::array;
/// Inputs and parameters, or outputs, by name.
using named_arrays = std::map<std::string, array>;

inline const array& named(const named_arrays& from, const std::string& name) {
  const auto found = from.find(name);
  if (found == from.end()) throw error("the test gives no value named " + name);
  return found->second;
}

/// Runs a graph; symbols take their sizes from the inputs that have them as an axis.
inline named_arrays run_view(const graph_view& g, const named_arrays& given) {
  std::vector<array> inputs;
  std::map<std::string, std::int64_t> sizes;
  for (const named_value& input : g.inputs) {
    inputs.push_back(named(given, input.name));
    const shape& declared = g.at(input.node).shape;
    for (int i = 0; i < declared.rank; ++i)
      if (const dim d = g.dim_of(declared[i]); d.is_symbol())
        sizes.emplace(d.name(), static_cast<std::int64_t>(inputs.back().shape(static_cast<std::size_t>(i))));
  }
  std::vector<std::vector<array>> parameters;
  for (std::size_t p = 0; p < g.parameters.size(); ++p) {
    parameters.emplace_back();
    for (std::int64_t layer = 0; layer < g.layers(g.parameters[p].node); ++layer)
      parameters.back().push_back(named(given, g.parameter_name(static_cast<int>(p), layer).text));
  }
  const std::vector<array> values = reference_program(g, parameters).run(inputs, sizes);
  named_arrays outputs;
  for (std::size_t i = 0; i < values.size(); ++i) outputs[g.outputs[i].name] = values[i];
  return outputs;
}

/// Declares with `declare(graph&)` and runs.
template <class F>
named_arrays run_graph(F declare, const named_arrays& given) {
  const auto g = std::make_unique<graph>();
  declare(*g);
  INFO(g->error.text);
  REQUIRE(g->error.empty());
  return run_view(view_of(*g), given);
}

/// Where braces would not say which axes there are.
inline array tensor(const std::vector<std::size_t>& shape, const std::vector<double>& values) {
  array made = array::from_shape(shape);
  REQUIRE(made.size() == values.size());
  std::copy(values.begin(), values.end(), made.begin());
  return made;
}

inline array array_of(const golden_tensor& from) { return tensor(from.shape, from.values); }

/// The inputs and parameters of a case. `renamed` says, for names of the graph that the file does not use,
/// what the file calls them, with the "param." or "input.".
inline named_arrays arrays_of(const golden_case& c, const std::map<std::string, std::string>& renamed = {}) {
  named_arrays found;
  for (const auto& [name, tensor] : c.tensors())
    for (const std::string prefix : {"param.", "input."})
      if (name.starts_with(prefix)) found[name.substr(prefix.size())] = array_of(tensor);
  for (const auto& [ours, theirs] : renamed) found[ours] = array_of(c.at(theirs));
  return found;
}

/// Equal shapes, and elements within 1e-12 of each other (relative, above 1).
inline void check_close(const array& found, const array& expected) {
  REQUIRE(std::vector<std::size_t>(found.shape().begin(), found.shape().end()) ==
          std::vector<std::size_t>(expected.shape().begin(), expected.shape().end()));
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO("element " << i);
    CHECK(found.data()[i] == Approx(expected.data()[i]).epsilon(1e-12).margin(1e-12));
  }
}

} // namespace fovea::core::test
