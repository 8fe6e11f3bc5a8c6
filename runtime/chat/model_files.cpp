#include <fovea/runtime/chat/model_files.hpp>

#include <fovea/base/file_path.hpp>
#include <fovea/base/mapped_file.hpp>
#include <fovea/base/regular_file.hpp>

namespace fovea::core {

bool model_files::has(std::string_view name) const {
  return files_ ? files_->contains(name) : std::filesystem::exists(folder_ / file_path(name));
}

std::string model_files::path_of(std::string_view name) const {
  return file_path(folder_ / file_path(name)).string();
}

std::string model_files::text(std::string_view name) const try {
  const auto text_of = [](std::span<const std::byte> bytes) {
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  if (!files_) return text_of(mapped_file(path_of(name), {.copy = true}).bytes());
  const auto found = files_->find(name);
  if (found == files_->end()) throw error(path_of(name) + ": expected this file; there is none");
  return text_of(found->second);
} catch (const std::bad_alloc&) {
  refuse_memory(path_of(name));
}

json_document model_files::json(std::string_view name) const try {
  return parse_json(text(name));
} catch (const malformed_json& problem) {
  throw error(path_of(name) + ": " + problem.what());
}

} // namespace fovea::core
