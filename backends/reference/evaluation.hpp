#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <fovea/backends/dropout.hpp>
#include <fovea/backends/reference/array.hpp>
#include <fovea/backends/reference/attention.hpp>
#include <fovea/dsl/graph_view.hpp>

namespace fovea::core::reference_ops {

/// One run of a graph: the value of each node, computed in the order of declaration.
class evaluation {
public:
  using parameter_layers = std::vector<std::vector<array>>; // [parameter][layer]

  /// The operands outlive the evaluation. Products that are `rounded` multiply numbers rounded to bfloat16; an
  /// empty list: none. Throws fovea::error that names what does not fit: an input's count or shape, a dim without
  /// size, an id outside its table.
  evaluation(const graph_view& graph, const parameter_layers& parameters, const std::vector<array>& inputs,
             const std::map<std::string, std::int64_t>& sizes, random_state random = {},
             const std::vector<bool>& rounded = {});

  std::vector<array> outputs() const;

private:
  // loops.cpp
  void walk(int first, int last, int region);
  void loop(int region);
  void stack(int id);
  std::size_t layer_of(int id) const;

  // evaluation.cpp
  void check_inputs() const;
  array compute(int id) const;
  // families of operations
  array leaf(int id) const;
  array elementwise(int id) const;
  array product(int id) const;
  array lookup(int id) const;
  array windowed(int id) const;
  array framed(int id) const;
  array normalised(int id) const;
  array reduce(int id) const;
  array shaped(int id) const;
  array attend(int id) const;
  array positions(int id) const;
  array gradient(int id) const;
  array dropout_mask(int id) const;
  array over_ranks(int id) const;
  // of shape and gradient
  array slice_of(int id) const;
  array slice_gradient(int id) const;
  std::vector<const array*> operands_of(int id) const;
  /// The value of a node that has run.
  const array& value(int id) const;
  const array& operand(int id, int i) const { return value(graph_.operand(id, i)); }
  /// Operand i, or null where the node has fewer.
  const array* optional_operand(int id, int i) const;
  std::int64_t size_of_dim(int dim_id) const;
  array_shape shape_of_node(int id) const;

  const graph_view& graph_;
  const parameter_layers& parameters_;
  const std::vector<array>& inputs_;
  const std::map<std::string, std::int64_t>& sizes_;
  random_state random_;
  std::vector<bool> rounded_;
  std::vector<array> values_;       // of each node; parameters stay where they are
  std::vector<std::int64_t> turns_; // of each region: which of its layers or steps runs
};

} // namespace fovea::core::reference_ops
