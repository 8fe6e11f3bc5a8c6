#include "config_json.hpp"

#include <fovea/base/json/parse_json.hpp>
#include <fovea/base/mapped_file.hpp>

#include <string>
#include <string_view>

namespace tool {
namespace {

using nlohmann::json;

/// Infinity, -Infinity and NaN outside of texts, put in quotes.
std::string with_texts(std::string_view text) {
  std::string made;
  bool in_text = false;
  while (!text.empty()) {
    std::size_t size = 1;
    if (in_text) {
      if (text[0] == '\\' && text.size() > 1) size = 2;
      if (text[0] == '"') in_text = false;
    } else if (text[0] == '"') {
      in_text = true;
    } else {
      for (const std::string_view word : {"-Infinity", "Infinity", "NaN"})
        if (text.starts_with(word)) size = word.size();
    }
    const bool word = size > 2;
    if (word) made += '"';
    made += text.substr(0, size);
    if (word) made += '"';
    text.remove_prefix(size);
  }
  return made;
}

/// {"__float__": "Infinity"} as the text within.
void put_texts(json& value) {
  if (!value.is_structured()) return;
  if (value.is_object() && value.size() == 1 && value.contains("__float__")) {
    value = json(value["__float__"]);
    return;
  }
  for (json& part : value) put_texts(part);
}

} // namespace

json load_config_json(const std::filesystem::path& path) {
  const fovea::core::mapped_file file(path, {.copy = true});
  try {
    json made = *fovea::core::parse_json(
        with_texts({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()}));
    put_texts(made);
    return made;
  } catch (const fovea::core::malformed_json& problem) {
    throw fovea::error(path.string() + ": " + problem.what());
  }
}

} // namespace tool
