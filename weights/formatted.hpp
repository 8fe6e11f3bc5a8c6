#pragma once

#include <set>
#include <string>

#include <fovea/dsl/graph_view.hpp>
#include <fovea/weights/weight_format.hpp>

namespace fovea::core {

/// The parameters of a model that are kept in a format, by name: in panels, if it is f32.
struct formatted_parameters {
  weight_format format = weight_format::f32;
  std::set<std::string, std::less<>> names = {};

  weight_format of(const std::string& name) const {
    return names.contains(name) ? format : weight_format::f32;
  }
};

/// Those that a format is for (weights/weight_format.hpp): used only as weights of products, their rows the
/// outputs, inside scans large ones, and as tables of the same gathers. Of a convolution too, if they are large and
/// its windows are rows of one product that no tile makes faster: it has one group, is not transposed, and neither a
/// batch_norm nor max_over joins it. They depend on the declaration alone, so that a model and its stream agree.
formatted_parameters formatted(const graph_view& declared, weight_format format);

} // namespace fovea::core
