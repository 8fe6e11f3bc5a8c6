#include "report.hpp"

#include <fovea/base/utf8.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utf8proc.h>

namespace semantic_search {
namespace {

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const fovea::core::code_point point = fovea::core::code_point_at(text, at);
    columns += static_cast<std::size_t>(utf8proc_charwidth(static_cast<utf8proc_int32_t>(point.value)));
    at += point.bytes;
  }
  return columns;
}

std::string text_at(const text_index& index, const indexed_passage& place) {
  const std::string& path = index.files[place.file].path;
  const std::string text = read_text(path);
  if (hash_of(text) != index.files[place.file].content || place.end > text.size())
    throw fovea::error(path + ": was changed while it was being searched; ask again");
  return one_line(std::string_view(text).substr(place.begin, place.end - place.begin));
}

std::string name_of(const text_index& index, const indexed_passage& place) {
  const std::string path = fovea::core::utf8_or_replacement(index.files[place.file].path);
  if (place.first_line == place.last_line) return fmt::format("{}:{}", path, place.first_line);
  return fmt::format("{}:{}-{}", path, place.first_line, place.last_line);
}

} // namespace

std::string wrapped(std::string_view line, std::size_t columns, std::size_t indent) {
  std::string result;
  std::size_t used = 0;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    const std::size_t width = columns_of(word);
    if (used != 0 && used + 1 + width <= columns) {
      result += ' ';
      used += 1 + width;
    } else {
      if (used != 0) result += '\n';
      result.append(indent, ' ');
      used = indent + width;
    }
    result += word;
  }
  return result.empty() ? result : result + '\n';
}

std::string report(const text_index& index, std::span<const hit> hits, std::size_t columns) {
  constexpr std::size_t indent = 7;
  std::string result;
  for (const hit& h : hits) {
    result += fmt::format("{:.3f}  {}\n{}", h.score, name_of(index, h.places.front()),
                          wrapped(text_at(index, h.places.front()), columns, indent));
    std::string also;
    for (const indexed_passage& place : std::span(h.places).subspan(1))
      also += (also.empty() ? "also at " : ", ") + name_of(index, place);
    result += wrapped(also, columns, indent) + '\n';
  }
  if (!result.empty()) result.pop_back();
  return result;
}

std::string json_report(const text_index& index, std::span<const hit> hits, std::string_view question) {
  nlohmann::json passages = nlohmann::json::array();
  for (const hit& h : hits) {
    nlohmann::json places = nlohmann::json::array();
    for (const indexed_passage& place : h.places)
      places.push_back({{"file", index.files[place.file].path},
                        {"first_line", place.first_line},
                        {"last_line", place.last_line}});
    passages.push_back({{"score", h.score}, {"text", text_at(index, h.places.front())}, {"places", places}});
  }
  // A file's name may be no UTF-8.
  return nlohmann::json{{"question", question}, {"passages", passages}}.dump(
             2, ' ', false, nlohmann::json::error_handler_t::replace) +
         '\n';
}

} // namespace semantic_search
