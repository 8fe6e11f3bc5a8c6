#include <fovea/runtime/describe/labels.hpp>

#include <algorithm>

namespace fovea::core::detail {

bool is_shown(op kind) {
  const family f = operation_of(kind).of;
  return f != family::loop && (f != family::leaf || kind == op::range);
}

std::string shape_text(const graph_view& g, const shape& s) {
  sentence text;
  g.write_shape(text, s);
  return text.text;
}

std::vector<std::vector<int>> first_uses(const graph_view& g) {
  std::vector<std::vector<int>> uses(static_cast<std::size_t>(g.node_count()));
  std::vector<bool> used(g.parameters.size());
  for (int id = 0; id < g.node_count(); ++id)
    for (int k = 0; k < g.at(id).operand_count; ++k) {
      const node& from = g.at(g.operand(id, k));
      if (from.kind != op::parameter) continue;
      const auto parameter = static_cast<std::size_t>(from.settings.entry.index);
      if (used[parameter]) continue;
      used[parameter] = true;
      uses[static_cast<std::size_t>(id)].push_back(from.settings.entry.index);
    }
  return uses;
}

std::string common_name(const graph_view& g, const std::vector<int>& parameters) {
  std::vector<std::string> names;
  for (const int parameter : parameters) {
    std::string name = g.parameter_name(parameter).text;
    for (const char* ending : {".weight", ".bias"})
      if (name.ends_with(ending)) name.resize(name.size() - std::string_view(ending).size());
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

std::string place_text(const graph_view& g, int id) {
  const node& n = g.at(id);
  sentence text, name;
  if (n.kind == op::parameter)
    name = g.parameter_name(n.settings.entry.index);
  else
    g.write_scope(name, n.scope, n.region);
  if (n.kind != op::parameter && !name.empty()) name.text[--name.size] = '\0'; // its closing dot
  text << (n.kind == op::parameter ? word_of(n.kind) : word_of(n));
  if (!name.empty()) text << " \"" << name.text << '"';
  text << " (" << n.at << ')';
  return text.text;
}

} // namespace fovea::core::detail
