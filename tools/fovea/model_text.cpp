#include "model_text.hpp"

#include "failure.hpp"

#include <fovea/base/read_number.hpp>
#include <fovea/dsl/shapes_text.hpp>

#include <algorithm>

namespace tool {

namespace {

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (std::size_t end; (end = text.find(at)) != text.npos; text.remove_prefix(end + 1))
    parts.push_back(text.substr(0, end));
  parts.push_back(text);
  return parts;
}

[[noreturn]] void of_another_version() {
  throw failure(
      "the shapes in the object file are written by headers of another version than this program's");
}

std::size_t number(std::string_view text) {
  const auto value = fovea::core::number_in<std::size_t>(text);
  if (!value) of_another_version();
  return *value;
}

std::vector<std::size_t> numbers(std::string_view text) {
  std::vector<std::size_t> values;
  if (!text.empty())
    for (const std::string_view one : split(text, ',')) values.push_back(number(one));
  return values;
}

template <class values>
const auto& entry(const values& of, std::size_t i) {
  if (i >= of.size()) of_another_version();
  return of[i];
}

struct node_record {
  expression what;
  std::string_view role;
  std::vector<std::size_t> operands;

  /// Whether both may be parts of one word: they name it alike, and neither lies in a scope beside the
  /// other's.
  bool of_one_call(const node_record& other) const {
    const std::string &a = what.name, &b = other.what.name;
    return what.word == other.what.word && (a.starts_with(b) || b.starts_with(a));
  }
  bool same_place(const node_record& other) const {
    return what.line == other.what.line && what.file == other.what.file;
  }
};

struct reader {
  std::vector<std::string_view> scopes, dims;
  std::vector<node_record> nodes;
  std::vector<std::pair<std::size_t, std::string_view>> parameters, inputs;
  model_text model;

  void read(std::string_view text) {
    for (const std::string_view line : split(text, '\n'))
      if (!line.empty()) record(split(line, '\t'));
    const auto name = [&](std::size_t i) -> std::string& {
      entry(nodes, i);
      return nodes[i].what.name;
    };
    for (const auto& [node, text_of] : parameters)
      name(node) += (name(node).empty() ? "" : ".") + std::string(text_of);
    for (const auto& [node, text_of] : inputs) {
      name(node) = text_of;
      model.inputs.emplace_back(nodes[node].what.file, nodes[node].what.line);
    }
    const std::vector<bool> hidden = hidden_nodes();
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (!hidden[i]) model.expressions.push_back(nodes[i].what);
  }

private:
  void record(const std::vector<std::string_view>& fields) {
    const auto field = [&](std::size_t i) { return entry(fields, i); };
    const std::string_view kind = field(0);
    if (kind == "f")
      model.files.emplace_back(field(1));
    else if (kind == "s")
      scopes.push_back(field(1));
    else if (kind == "d")
      dims.push_back(field(1));
    else if (kind == "p")
      parameters.emplace_back(number(field(1)), field(2));
    else if (kind == "i")
      inputs.emplace_back(number(field(1)), field(2));
    else if (kind == "u")
      mark_unused(number(field(1)));
    else if (kind == "e")
      model.error = field(1);
    else if (kind == "n")
      node(fields);
    else
      of_another_version();
  }
  void mark_unused(std::size_t id) {
    entry(nodes, id);
    nodes[id].what.unused = true;
  }
  void node(const std::vector<std::string_view>& fields) {
    if (fields.size() != 9) of_another_version();
    node_record made;
    made.what.file = entry(model.files, number(fields[1]));
    made.what.line = static_cast<int>(number(fields[2]));
    made.what.word = fields[3];
    made.role = fields[4];
    made.what.type = fields[5];
    std::string_view scope = entry(scopes, number(fields[6]));
    if (!scope.empty()) scope.remove_suffix(1); // its closing dot
    made.what.name = scope;
    for (const std::size_t dim : numbers(fields[7])) made.what.shape.emplace_back(entry(dims, dim));
    made.operands = numbers(fields[8]);
    nodes.push_back(std::move(made));
  }

  /// What the user did not write as a word of its own: what stands for a value inside a loop, a number or
  /// parameter that a word on the same line takes, and all but the results of a word made of several nodes.
  std::vector<bool> hidden_nodes() const {
    std::vector<bool> hidden(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) hidden[i] = nodes[i].role == "inner";
    for (const node_record& user : nodes)
      for (const std::size_t operand : user.operands) {
        const node_record& used = entry(nodes, operand);
        if (!used.same_place(user)) continue;
        if (used.role == "leaf") hidden[operand] = true;
        if (used.role == "part" && user.of_one_call(used)) hidden[operand] = true;
      }
    return hidden;
  }
};

} // namespace

std::vector<model_text> models_in(std::string_view object) {
  const std::string mark = std::string(fovea::core::detail::shapes_mark) + '\n';
  std::vector<model_text> models;
  for (std::size_t at = 0; (at = object.find(mark, at)) != object.npos;) {
    at += mark.size();
    const std::size_t end = object.find(fovea::core::detail::shapes_end, at);
    if (end == object.npos) of_another_version();
    reader r;
    r.read(object.substr(at, end - at));
    models.push_back(std::move(r.model));
    at = end;
  }
  return models;
}

} // namespace tool
