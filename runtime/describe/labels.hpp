#pragma once

#include <fovea/dsl/graph_view.hpp>

#include <string>
#include <vector>

namespace fovea::core::detail {

/// Whether a node is an operation to show, not a leaf or a seam of a repeat or scan.
bool is_shown(op kind);
/// "[B, T, 768]"
std::string shape_text(const graph_view& g, const shape& s);
/// The parameters that each node is the first to use.
std::vector<std::vector<int>> first_uses(const graph_view& g);
/// What the names of parameters have in common: "attn.q" of "attn.q.weight" and "attn.q.bias".
std::string common_name(const graph_view& g, const std::vector<int>& parameters);
/// A node's word, its name with the scope, and its place: linear "h.*.up" (gpt.cpp:12).
std::string place_text(const graph_view& g, int id);

} // namespace fovea::core::detail
