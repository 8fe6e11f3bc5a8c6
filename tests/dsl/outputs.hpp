#pragma once

#include <cstring>
#include <string>

#include <fovea/dsl.hpp>

/// The node behind a model's output; -1 if it has none of this name.
inline int output_of(const fovea::core::graph_view& model, const char* name) {
  for (const fovea::core::named_value& output : model.outputs)
    if (std::strcmp(output.name, name) == 0) return output.node;
  return -1;
}

/// An output's element type and shape, as "float32 [B, T, 768]".
inline std::string output_shape(const fovea::core::graph_view& model, const char* name) {
  const int id = output_of(model, name);
  if (id < 0) return "no such output";
  fovea::core::sentence s;
  s << fovea::core::name_of(model.at(id).type) << ' ';
  model.write_shape(s, model.at(id).shape);
  return s.text;
}
