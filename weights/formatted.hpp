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
/// outputs, inside scans large ones, and as tables of the same gathers. Of convolutions too where they are large, if
/// the windows are rows of one product that is no faster by tiles: they have one group, and neither a batch_norm nor
/// max_over joins them. They depend on the declaration alone, so that a
/// model and its stream agree.
formatted_parameters formatted(const graph_view& declared, weight_format format);

} // namespace fovea::core
