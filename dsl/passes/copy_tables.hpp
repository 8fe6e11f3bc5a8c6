#pragma once

#include <fovea/dsl/graph.hpp>

namespace fovea::core::detail {

/// Gives `to` all tables of a graph but its nodes, inputs and outputs: dims, forms, scopes, windows and
/// scalings keep their numbers.
constexpr void copy_tables(graph& to, const graph& from) {
  const auto all = [](auto& table, const auto& source, int count) {
    for (int i = 0; i < count; ++i) table[i] = source[i];
  };
  all(to.dim_numbers, from.dim_numbers, from.dim_count), to.dim_count = from.dim_count;
  all(to.next_dim, from.next_dim, from.dim_count);
  all(to.dim_buckets, from.dim_buckets, graph::hash_buckets);
  all(to.dim_labels, from.dim_labels, from.dim_count);
  all(to.forms, from.forms, from.form_count), to.form_count = from.form_count;
  all(to.scopes, from.scopes, from.scope_count), to.scope_count = from.scope_count;
  all(to.parameters, from.parameters, from.parameter_count), to.parameter_count = from.parameter_count;
  all(to.regions, from.regions, from.region_count), to.region_count = from.region_count;
  all(to.functions, from.functions, from.function_count), to.function_count = from.function_count;
  all(to.windows, from.windows, from.window_count), to.window_count = from.window_count;
  all(to.scalings, from.scalings, from.scaling_count), to.scaling_count = from.scaling_count;
  to.is_part = from.is_part, to.ranks = from.ranks;
  all(to.texts, from.texts, from.text_size), to.text_size = from.text_size;
}

} // namespace fovea::core::detail
