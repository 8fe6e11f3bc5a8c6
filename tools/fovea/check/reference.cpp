#include "reference.hpp"

#include "../failure.hpp"

#include <fovea/base/in_quotes.hpp>
#include <fovea/base/json/parse_json.hpp>
#include <fovea/weights/safetensors.hpp>

#include <fmt/format.h>

#include <cmath>
#include <string_view>

namespace tool {
namespace {

using named_numbers = std::map<std::string, numbers>;

/// How many values of each row are not 0.
numbers counted(const numbers& from, const std::string& name) {
  if (from.shape.empty()) throw failure("count(" + name + "): expected an axis to count along; found none");
  numbers made{{from.shape.begin(), from.shape.end() - 1}, {}, true};
  const std::size_t width = from.shape.back();
  for (std::size_t at = 0; width > 0 && at < from.values.size(); at += width) {
    double count = 0;
    for (std::size_t i = 0; i < width; ++i) count += from.values[at + i] != 0;
    made.values.push_back(count);
  }
  return made;
}

std::string names_of(const named_numbers& all) {
  std::string text;
  for (const auto& [name, values] : all) text += (text.empty() ? "" : ", ") + fovea::core::shortened(name);
  return text.empty() ? "none" : text;
}

/// Adds what "ours=theirs" asks for.
void rename(named_numbers& all, const std::vector<std::string>& renames, const char* option,
            const std::filesystem::path& path) {
  for (const std::string& one : renames) {
    const std::size_t at = one.find('=');
    if (at == one.npos || at == 0)
      throw failure(fmt::format("{} {}: expected OURS=THEIRS", option, fovea::core::in_quotes(one)));
    const std::string ours = one.substr(0, at);
    std::string theirs = one.substr(at + 1);
    constexpr std::string_view count = "count(";
    const bool counts = theirs.starts_with(count) && theirs.ends_with(')');
    if (counts) theirs = theirs.substr(count.size(), theirs.size() - count.size() - 1);
    const auto found = all.find(theirs);
    if (found == all.end())
      throw failure(fmt::format("{}: {} {}: there is no {}; expected one of {}", path.string(), option,
                                fovea::core::in_quotes(one), fovea::core::in_quotes(theirs), names_of(all)));
    all[ours] = counts ? counted(found->second, theirs) : numbers(found->second);
  }
}

tolerance tolerance_in(const fovea::core::safetensors_file& file) {
  tolerance within;
  const auto found = file.metadata().find("case");
  if (found == file.metadata().end()) return within;
  try {
    const fovea::core::json_document said = fovea::core::parse_json(found->second);
    const auto take = [&](const char* key, double& to) {
      if (!said->is_object() || !said->contains(key)) return;
      const nlohmann::json& value = said->at(key);
      if (!value.is_number() || !(value.get<double>() >= 0))
        throw fovea::error(std::string(key) + ": expected a number of at least 0; found " +
                           fovea::core::shown(value));
      to = value.get<double>();
    };
    take("rtol", within.rtol);
    take("atol", within.atol);
  } catch (const fovea::error& problem) {
    throw failure(file.path().string() + ": metadata 'case': " + problem.what());
  }
  return within;
}

} // namespace

reference_values read_reference(const std::filesystem::path& path, const std::vector<std::string>& inputs,
                                const std::vector<std::string>& outputs) {
  const fovea::core::safetensors_file file(path);
  reference_values made{{}, {}, tolerance_in(file)};
  constexpr std::string_view input = "input.", output = "output.";
  for (const auto& [name, tensor] : file.tensors()) {
    if (name.starts_with(input)) made.inputs[name.substr(input.size())] = numbers_of(tensor);
    if (name.starts_with(output)) made.outputs[name.substr(output.size())] = numbers_of(tensor);
  }
  if (made.inputs.empty() || made.outputs.empty())
    throw failure(path.string() + ": expected reference values, tensors input.NAME and output.NAME; found " +
                  std::to_string(file.tensors().size()) + " others");
  rename(made.inputs, inputs, "--input", path);
  rename(made.outputs, outputs, "--output", path);
  return made;
}

} // namespace tool
