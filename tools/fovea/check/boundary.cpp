#include "boundary.hpp"

#include "../failure.hpp"

#include <fovea/base/in_quotes.hpp>
#include <fovea/weights/stored_tensor.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>
#include <string_view>

namespace tool {
namespace {

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

void require_named(const std::vector<std::string>& renames, const std::vector<std::string>& names,
                   const char* kind) {
  for (const std::string& one : renames) {
    const std::string ours = one.substr(0, one.find('='));
    if (!has(names, ours))
      throw failure(fmt::format("--{} {}: the model has no {} \"{}\"; its {}s are {}", kind,
                                fovea::core::in_quotes(one), kind, fovea::core::shortened(ours), kind,
                                fmt::join(names, ", ")));
  }
}

bool is_number(const std::string& axis) {
  return std::ranges::all_of(axis, [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// The tensor of the file can be this input.
void require_fit(const model_input& input, const numbers& given, const std::string& file) {
  const auto refuse = [&](const std::string& expected, const std::string& found) {
    throw failure(fmt::format("{}: {}: expected {}; found {}", file, fovea::core::shortened(given.source),
                              expected, found));
  };
  if (input.whole != given.whole) refuse(input.whole ? "integers" : "floating-point numbers", given.type);
  const std::size_t rank = input.axes.size();
  const std::string shape = fmt::format("[{}]", fmt::join(input.axes, ", "));
  if (given.shape.size() != rank)
    refuse(fmt::format("{} {}, {}", rank, rank == 1 ? "axis" : "axes", shape),
           fovea::core::shape_text(given.shape));
  for (std::size_t axis = 0; axis < rank; ++axis)
    if (is_number(input.axes[axis]) && input.axes[axis] != std::to_string(given.shape[axis]))
      refuse(shape, fovea::core::shape_text(given.shape));
}

} // namespace

model_boundary read_boundary(const std::filesystem::path& path) {
  model_boundary made;
  std::ifstream lines(path);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    std::string kind, name, cell;
    std::getline(cells, kind, '\t');
    std::getline(cells, name, '\t');
    if (kind == "dim") made.dims.push_back(name);
    if (kind == "output") made.outputs.push_back(name);
    if (kind != "integers" && kind != "reals") continue;
    model_input& input = made.inputs.emplace_back(name, kind == "integers");
    while (std::getline(cells, cell, '\t')) input.axes.push_back(cell);
  }
  return made;
}

void require_dims(const model_boundary& model, const std::vector<std::string>& sizes) {
  for (const std::string& one : sizes) {
    const std::string dim = one.substr(0, one.find('='));
    if (has(model.dims, dim)) continue;
    const std::string there_are =
        model.dims.empty() ? "; it has none" : fmt::format("; expected {}", fmt::join(model.dims, " or "));
    throw failure(fmt::format("--size {}: the model has no dim {}{}", fovea::core::in_quotes(one),
                              fovea::core::shortened(dim), there_are));
  }
}

void require_names(const model_boundary& model, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs) {
  std::vector<std::string> names;
  for (const model_input& one : model.inputs) names.push_back(one.name);
  require_named(inputs, names, "input");
  require_named(outputs, model.outputs, "output");
}

void require_inputs(const model_boundary& model, const reference_values& reference,
                    const std::filesystem::path& path) {
  struct size_of_dim {
    std::size_t size;
    std::string input; // that has it first
  };
  std::map<std::string, size_of_dim> sizes;
  for (const model_input& input : model.inputs) {
    const auto given = reference.inputs.find(input.name);
    if (given == reference.inputs.end())
      throw failure(fmt::format("{}: there is no input.{}, which the model takes (--input {}=THEIRS); the "
                                "file has {}",
                                path.string(), input.name, input.name, reference.input_names));
    require_fit(input, given->second, path.string());
    for (std::size_t axis = 0; axis < input.axes.size(); ++axis) {
      const std::string& dim = input.axes[axis];
      const std::size_t size = given->second.shape[axis];
      const auto& first = sizes.try_emplace(dim, size_of_dim{size, input.name}).first->second;
      if (first.size != size)
        throw failure(fmt::format("{}: {} is {} in \"{}\" and {} in \"{}\"", path.string(), dim, first.size,
                                  first.input, size, input.name));
    }
  }
}

} // namespace tool
