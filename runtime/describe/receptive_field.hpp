#pragma once

#include <fovea/dsl/graph_view.hpp>

#include <limits>
#include <string>
#include <vector>

namespace fovea::core {

/// Which steps of the inputs a value can see: from `before` steps before its own to `after` steps after it.
struct receptive_field {
  static constexpr double unlimited = std::numeric_limits<double>::infinity();

  bool moves = false; // whether it depends on the steps at all
  double before = 0, after = 0;
  double jump = 1;     // input steps from one of its positions to the next
  bool of_end = false; // it has no positions of its own, and is that of the last ones

  /// "-", "31", "3 + 2 ahead" (the value's own step counts among the 3), "all past", "all".
  std::string text() const;
  friend bool operator==(const receptive_field&, const receptive_field&) = default;
};

/// The receptive field of every node along the dim `time`, an upper bound; that of a node of a repeat is its
/// last layer's. Masks count where they compare positions (causal, window); what a mask reads from a table,
/// such as padding, does not.
std::vector<receptive_field> receptive_fields(const graph_view& g, const dim& time);

} // namespace fovea::core
