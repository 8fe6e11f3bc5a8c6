#pragma once

#include <fovea/base/json/parse_json.hpp>

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace fovea::core {

/// The files of a model: those of a folder, or some that are in memory and stand for it.
class model_files {
public:
  using in_memory = std::map<std::string, std::span<const std::byte>, std::less<>>;

  explicit model_files(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// The bytes live longer than this does; messages call them by the folder.
  model_files(std::filesystem::path folder, in_memory files)
      : folder_(std::move(folder)), files_(std::move(files)) {}

  bool has(std::string_view name) const;
  /// As messages call it.
  std::string path_of(std::string_view name) const;
  /// Throws fovea::error that names the file where it cannot be had.
  std::string text(std::string_view name) const;
  json_document json(std::string_view name) const;

private:
  std::filesystem::path folder_;
  std::optional<in_memory> files_;
};

} // namespace fovea::core
