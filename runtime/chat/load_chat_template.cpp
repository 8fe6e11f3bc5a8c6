#include <fovea/base/in_quotes.hpp>
#include <fovea/base/json/parse_json.hpp>
#include <fovea/base/mapped_file.hpp>
#include <fovea/base/regular_file.hpp>
#include <fovea/runtime/chat/chat_template.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>

namespace fovea::core {
namespace {

using nlohmann::json;
using path = std::filesystem::path;

std::string name_of(const path& file) { return file_path(file).string(); }

const json* member(const json& object, std::string_view name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && found != object.end() && !found->is_null() ? &*found : nullptr;
}

/// A token is a text, or an object whose content is one.
chat_tokens tokens_of(const json& config, const path& file) {
  chat_tokens made;
  const std::pair<const char*, std::string&> all[] = {
      {"bos_token", made.bos_token},  {"eos_token", made.eos_token}, {"unk_token", made.unk_token},
      {"sep_token", made.sep_token},  {"pad_token", made.pad_token}, {"cls_token", made.cls_token},
      {"mask_token", made.mask_token}};
  for (const auto& [name, token] : all) {
    const json* found = member(config, name);
    if (found == nullptr) continue;
    if (const json* content = member(*found, "content")) found = content;
    if (!found->is_string())
      throw error(name_of(file) + ": " + name +
                  ": expected a text, or an object with the text content; found " + shown(*found));
    token = found->get<std::string>();
  }
  return made;
}

/// The template of this name, in a text, or in a list of objects with a name and a template.
std::string template_of(const json& found, std::string_view which, const path& file) {
  const auto fail = [&](const std::string& expected, const std::string& there) {
    throw error(name_of(file) + ": chat_template: expected " + expected + "; found " + there);
  };
  std::string names;
  if (found.is_string()) {
    if (which == "default") return found.get<std::string>();
    names = in_quotes("default");
  } else if (found.is_array()) {
    for (const json& one : found) {
      const json *name = member(one, "name"), *text = member(one, "template");
      if (name == nullptr || text == nullptr || !name->is_string() || !text->is_string())
        fail("a list of objects with the texts name and template", shown(one));
      if (name->get<std::string>() == which) return text->get<std::string>();
      names += (names.empty() ? "" : ", ") + in_quotes(name->get<std::string>());
    }
  } else {
    fail("a text, or a list of objects with the texts name and template", shown(found));
  }
  fail("the template " + in_quotes(which), names.empty() ? "none" : names);
  return {};
}

std::string text_of(const path& file) try {
  const mapped_file read(file, {.copy = true});
  return {reinterpret_cast<const char*>(read.bytes().data()), read.bytes().size()};
} catch (const std::bad_alloc&) {
  refuse_memory(file);
}

/// The file of a folder that has its template, as transformers looks for it.
path file_in(const path& folder, std::string_view which) {
  const path more = folder / "additional_chat_templates" / (std::string(which) + ".jinja");
  if (which != "default" && exists(more)) return more;
  for (const char* name : {"chat_template.jinja", "chat_template.json"})
    if (exists(folder / name)) return folder / name;
  return folder / "tokenizer_config.json";
}

} // namespace

chat_template chat_template::load(const file_path& folder_or_file, chat_template_choice which) {
  const path asked = folder_or_file;
  const path file = is_directory(asked) ? file_in(asked, which.name) : asked;
  const path folder = file.parent_path().filename() == "additional_chat_templates"
                          ? file.parent_path().parent_path()
                          : file.parent_path();
  const path config = folder / "tokenizer_config.json";
  const chat_tokens tokens = exists(config) ? tokens_of(*load_json(config), config) : chat_tokens();
  if (file.extension() != ".json") return from_text(text_of(file), tokens, name_of(file));
  const json_document document = load_json(file);
  const json* found = member(*document, "chat_template");
  if (found == nullptr) throw error(name_of(file) + ": expected the member chat_template; there is none");
  return from_text(template_of(*found, which.name, file), tokens, name_of(file));
}

} // namespace fovea::core
