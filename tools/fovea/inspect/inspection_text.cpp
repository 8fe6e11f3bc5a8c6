#include "inspection_text.hpp"

#include "../failure.hpp"
#include "../size_text.hpp"

#include <fovea/base/in_quotes.hpp>
#include <fovea/weights/packed_weights.hpp>

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <tuple>

namespace tool {
namespace {

using fovea::stored_tensor;
using fovea::core::shortened;
using named_tensor = std::pair<std::string, stored_tensor>;

std::vector<named_tensor> wanted_tensors(const inspection& found, const inspection_wishes& wishes) {
  std::vector<named_tensor> wanted;
  if (!found.weights) return wanted;
  std::ranges::copy_if(found.weights->tensors(), std::back_inserter(wanted), [&](const auto& one) {
    return wishes.pattern.empty() || ::fnmatch(wishes.pattern.c_str(), one.first.c_str(), 0) == 0;
  });
  if (wanted.empty() && !wishes.pattern.empty())
    throw failure(fmt::format("{}: --tensors '{}' matches none of its {} tensors", found.file.string(),
                              wishes.pattern, found.weights->tensors().size()));
  return wanted;
}

/// The name with `*` for each part between dots that is a number.
std::string pattern_of(const std::string& name) {
  std::string made;
  for (std::size_t from = 0; from <= name.size();) {
    const std::size_t end = std::min(name.find('.', from), name.size());
    const std::string part = name.substr(from, end - from);
    const bool number =
        !part.empty() && std::ranges::all_of(part, [](unsigned char c) { return std::isdigit(c) != 0; });
    made += (from == 0 ? "" : ".") + (number ? "*" : part);
    from = end + 1;
  }
  return made;
}

/// Tensors of one type and shape whose names differ by numbers alone.
struct tensor_row {
  std::string name;
  const stored_tensor* like;
  std::size_t tensors = 0, bytes = 0;
};

std::vector<tensor_row> rows_of(const std::vector<named_tensor>& tensors, bool each) {
  std::vector<tensor_row> rows;
  std::map<std::tuple<std::string, fovea::element_type, std::vector<std::size_t>>, std::size_t> place;
  for (const auto& [name, tensor] : tensors) {
    const std::string pattern = each ? name : pattern_of(name);
    const auto [at, is_new] = place.emplace(std::tuple(pattern, tensor.type, tensor.shape), rows.size());
    if (is_new) rows.push_back({name, &tensor});
    tensor_row& row = rows[at->second];
    if (++row.tensors == 2) row.name = pattern; // one by itself has its own name
    row.bytes += tensor.bytes.size();
  }
  return rows;
}

/// Columns side by side, all but the first and the second set to the right.
using cells = std::array<std::string, 5>;

std::string table_of(const std::vector<cells>& lines, std::size_t columns) {
  std::array<std::size_t, 5> widths{};
  for (const cells& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  const std::size_t others = 2 + 2 * 4 + widths[1] + widths[2] + widths[3] + widths[4];
  constexpr std::size_t least = 16;
  const std::size_t room = std::max(least, columns > others ? columns - others : 0);
  widths[0] = std::min(widths[0], room);
  std::string text;
  for (const cells& line : lines) {
    std::string name = line[0];
    if (name.size() > widths[0]) // both ends tell more than one
      name = name.substr(0, widths[0] / 2 - 1) + ".." +
             name.substr(name.size() - (widths[0] - widths[0] / 2 - 1));
    text += fmt::format("  {:<{}}  {:<{}}  {:<{}}  {:>{}}  {:>{}}\n", name, widths[0], line[1], widths[1],
                        line[2], widths[2], line[3], widths[3], line[4], widths[4]);
  }
  return text;
}

std::string tensors_text(const inspection& found, const inspection_wishes& wishes) {
  const std::vector<named_tensor> tensors = wanted_tensors(found, wishes);
  std::vector<cells> lines{{"tensor", "type", "shape", "tensors", "bytes"}};
  for (const tensor_row& row : rows_of(tensors, wishes.each))
    lines.push_back({shortened(row.name, 200), std::string(fovea::core::element_name(row.like->type)),
                     fovea::core::shape_text(row.like->shape), std::to_string(row.tensors),
                     size_text(row.bytes)});
  return table_of(lines, wishes.columns);
}

/// Keys and values, a line each.
std::string pairs_text(const std::vector<std::pair<std::string, std::string>>& pairs, std::size_t columns) {
  std::size_t width = 0;
  constexpr std::size_t longest_key = 48, longest_value = 100;
  for (const auto& [key, value] : pairs) width = std::max(width, std::min(key.size(), longest_key));
  const std::size_t room = std::max<std::size_t>(20, columns - std::min(columns, width + 4 + 3));
  std::string text;
  for (const auto& [key, value] : pairs)
    text += fmt::format("  {:<{}}  {}\n", shortened(key, longest_key), width,
                        shortened(value, std::min(room, longest_value)));
  return text;
}

std::string tokenizer_text(const tokenizer_facts& facts) {
  constexpr std::size_t shown = 8;
  std::string text = fmt::format("{}: {}, {} tokens", facts.file, facts.kind, facts.tokens);
  for (std::size_t i = 0; i < std::min(shown, facts.special.size()); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "; special: " : ", ", shortened(facts.special[i].first, 40),
                        facts.special[i].second);
  return text + (facts.special.size() > shown ? ", ...\n" : "\n");
}

std::size_t values_of(const std::vector<named_tensor>& tensors) {
  std::size_t count = 0;
  for (const auto& [name, tensor] : tensors) count += fovea::core::count_of(tensor);
  return count;
}
std::size_t bytes_of(const std::vector<named_tensor>& tensors) {
  std::size_t count = 0;
  for (const auto& [name, tensor] : tensors) count += tensor.bytes.size();
  return count;
}

} // namespace

std::string text_of(const inspection& found, const inspection_wishes& wishes) {
  std::string text = fmt::format("{}: {}\n", found.file.string(), shortened(found.what, 200));
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& [key, value] : found.config.items())
    pairs.emplace_back(key, value.is_string()
                                ? value.get<std::string>()
                                : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  text += pairs_text(pairs, wishes.columns);
  for (const std::string& module : found.modules) text += "  module " + shortened(module) + '\n';
  if (found.tokenizer) text += tokenizer_text(*found.tokenizer);
  if (!found.weights) return text;
  const std::vector<named_tensor> tensors = wanted_tensors(found, wishes);
  const bool packed = fovea::core::packed_layout_of(found.metadata).has_value(); // as bytes, not as values
  text +=
      fmt::format("{} tensor{}, {}{}\n", tensors.size(), tensors.size() == 1 ? "" : "s",
                  packed ? "" : fmt::format("{} values, ", values_of(tensors)), size_text(bytes_of(tensors)));
  text += pairs_text({found.metadata.begin(), found.metadata.end()}, wishes.columns);
  return text + tensors_text(found, wishes);
}

nlohmann::ordered_json json_of(const inspection& found, const inspection_wishes& wishes) {
  using json = nlohmann::ordered_json;
  json made = {{"file", found.file.string()}, {"what", found.what}};
  if (!found.config.is_null()) made["config"] = found.config;
  if (!found.modules.empty()) made["modules"] = found.modules;
  if (found.tokenizer) {
    json special = json::object();
    for (const auto& [token, id] : found.tokenizer->special) special[token] = id;
    made["tokenizer"] = {{"file", found.tokenizer->file},
                         {"kind", found.tokenizer->kind},
                         {"tokens", found.tokenizer->tokens},
                         {"special", special}};
  }
  if (!found.weights) return made;
  const std::vector<named_tensor> tensors = wanted_tensors(found, wishes);
  made["metadata"] = found.metadata;
  made["values"] = values_of(tensors);
  made["bytes"] = bytes_of(tensors);
  made["tensors"] = json::array();
  for (const auto& [name, tensor] : tensors)
    made["tensors"].push_back({{"name", name},
                               {"type", fovea::core::element_name(tensor.type)},
                               {"shape", tensor.shape},
                               {"bytes", tensor.bytes.size()}});
  return made;
}

} // namespace tool
