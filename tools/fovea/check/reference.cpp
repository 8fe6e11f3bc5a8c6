#include "reference.hpp"

#include "../failure.hpp"

#include <fovea/base/in_quotes.hpp>
#include <fovea/base/json/parse_json.hpp>
#include <fovea/weights/safetensors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

namespace tool {
namespace {

using named_numbers = std::map<std::string, numbers>;

/// A number for each row: f of its values.
template <class F>
numbers of_rows(const numbers& from, F f) {
  numbers made{{from.shape.begin(), from.shape.end() - 1}, {}, true, "I64", {}};
  const std::size_t width = from.shape.back();
  for (std::size_t at = 0; width > 0 && at < from.values.size(); at += width)
    made.values.push_back(static_cast<double>(f(std::span(from.values).subspan(at, width))));
  return made;
}

/// What an input is made of, where the file has another: "count(mask)".
struct made_of {
  std::string_view word;
  numbers (*from)(const numbers&);
};
constexpr made_of ways[] = {
    {"count",
     [](const numbers& x) {
       return of_rows(x,
                      [](auto row) { return std::ranges::count_if(row, [](double v) { return v != 0; }); });
     }},
    {"length", [](const numbers& x) { return of_rows(x, [](auto row) { return row.size(); }); }},
    {"zeros", [](const numbers& x) {
       return numbers{x.shape, std::vector<double>(x.values.size()), true, "I64", {}};
     }}};

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
    const auto way = std::ranges::find_if(ways, [&](const made_of& w) {
      return theirs.ends_with(')') && theirs.starts_with(std::string(w.word) + '(');
    });
    const bool is_made = way != std::end(ways);
    if (is_made) theirs = theirs.substr(way->word.size() + 1, theirs.size() - way->word.size() - 2);
    const auto found = all.find(theirs);
    if (found == all.end())
      throw failure(fmt::format("{}: {} {}: there is no {}; expected one of {}", path.string(), option,
                                fovea::core::in_quotes(one), fovea::core::in_quotes(theirs), names_of(all)));
    if (is_made && found->second.shape.empty())
      throw failure(fmt::format("{}: {} {}: expected {} to have an axis; found none", path.string(), option,
                                fovea::core::in_quotes(one), fovea::core::in_quotes(theirs)));
    numbers made = is_made ? way->from(found->second) : found->second;
    if (is_made) made.source = fmt::format("{}({})", way->word, found->second.source);
    all[ours] = std::move(made);
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
  reference_values made{{}, {}, tolerance_in(file), {}};
  constexpr std::string_view input = "input.", output = "output.";
  for (const auto& [name, tensor] : file.tensors()) {
    if (name.starts_with(input)) (made.inputs[name.substr(input.size())] = numbers_of(tensor)).source = name;
    if (name.starts_with(output)) made.outputs[name.substr(output.size())] = numbers_of(tensor);
  }
  if (made.inputs.empty() || made.outputs.empty())
    throw failure(path.string() + ": expected reference values, tensors input.NAME and output.NAME; found " +
                  std::to_string(file.tensors().size()) + " others");
  made.input_names = names_of(made.inputs);
  rename(made.inputs, inputs, "--input", path);
  rename(made.outputs, outputs, "--output", path);
  return made;
}

} // namespace tool
