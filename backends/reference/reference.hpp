#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <fovea/backends/dropout.hpp>
#include <fovea/backends/xtensor.hpp>
#include <fovea/dsl/graph_view.hpp>

namespace fovea::core {

/// The specification: runs a graph node by node, each an obvious expression in double precision, evaluated at
/// once. Slow and plain on purpose; every kernel is held against it.
class reference_program {
public:
  using array = xt::xarray<double>;

  /// `parameters[p][layer]` is parameter p of the graph in each of its layers (graph_view::layers),
  /// row-major. With `rounds` the products of rounded_products() multiply numbers rounded to bfloat16.
  reference_program(graph_view graph, std::vector<std::vector<array>> parameters, bool rounds = false);

  /// Inputs in the order of the graph's inputs, whole numbers for int32 ones; `sizes` gives each symbol's
  /// size. Returns the outputs in the graph's order.
  std::vector<array> run(const std::vector<array>& inputs, const std::map<std::string, std::int64_t>& sizes,
                         random_state random = {}) const;

private:
  graph_view graph_;
  std::vector<std::vector<array>> parameters_;
  std::vector<bool> rounded_; // products; empty where none are
};

} // namespace fovea::core
