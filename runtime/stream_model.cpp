#include <fovea/runtime/stream_model.hpp>

#include <algorithm>

#include <fovea/runtime/calls/sizes.hpp>

namespace fovea::core::detail {

std::vector<dim_size> full_capacity(graph_view graph, const char* name, std::span<const dim_size> capacity) {
  const call_sizes sizes(graph, name, capacity);
  std::vector<dim_size> full;
  for (const std::string& symbol : sizes.symbols())
    full.push_back({dim::symbol(symbol.c_str()), sizes.size_of(symbol.c_str())});
  return full;
}

std::vector<dim_size> capacity_for(graph_view graph, std::span<const dim_size> capacity) {
  std::vector<dim_size> made;
  for (const dim_size& d : capacity)
    if (std::ranges::any_of(graph.forms, [&](const dim& form) { return form.mentions(d.symbol); }))
      made.push_back(d);
  return made;
}

} // namespace fovea::core::detail
