#include "folder.hpp"

#include <fovea/base/error.hpp>
#include <fovea/base/json/parse_json.hpp>
#include <fovea/weights/temporary_file.hpp>

#include <span>

namespace trained {

nlohmann::json read_json(const std::filesystem::path& file) { return *fovea::core::load_json(file); }

void write_json(const std::filesystem::path& file, const nlohmann::json& value) {
  const std::string text = value.dump();
  fovea::core::temporary_file to(file);
  to.write(std::as_bytes(std::span(text)));
  to.commit();
}

void check_folder(const std::filesystem::path& folder, const nlohmann::json& compiled,
                  std::initializer_list<const char*> files) {
  const auto need = [&](const char* name) {
    if (!std::filesystem::is_regular_file(folder / name))
      throw fovea::error((folder / name).string() + ": no such file; the program's train.py writes it");
  };
  need("weights.safetensors");
  need("sizes.json");
  for (const char* name : files) need(name);
  const nlohmann::json sizes = read_json(folder / "sizes.json");
  for (const auto& [name, size] : compiled.items()) {
    const bool known = sizes.is_object() && sizes.contains(name);
    if (!known || sizes[name] != size)
      throw fovea::error((folder / "sizes.json").string() + ": the weights have " +
                         (known ? name + " " + fovea::core::shown(sizes[name]) : "no " + name) +
                         "; this program is compiled for " + size.dump() + " (--sizes prints what it takes)");
  }
}

} // namespace trained
