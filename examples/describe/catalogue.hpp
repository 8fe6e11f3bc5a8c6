#pragma once

#include <fovea/dsl/graph_view.hpp>

#include <span>

namespace describe_program {

/// A model of models/ in one of its published sizes.
struct catalogue_entry {
  const char* name;
  const char* about;
  fovea::core::graph_view graph;
};

std::span<const catalogue_entry> catalogue();

} // namespace describe_program
