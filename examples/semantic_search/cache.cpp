#include "cache.hpp"

#include "texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace semantic_search {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> absolute_from(const char* variable) {
  const char* value = std::getenv(variable);
  // "All paths must be absolute. If an implementation encounters a relative path [...] it should [...] ignore
  // it."
  if (value == nullptr || !fs::path(value).is_absolute()) return std::nullopt;
  return fs::path(value);
}

} // namespace

std::optional<fs::path> default_index(const std::string& program, std::span<const fs::path> paths,
                                      const fs::path& model) {
  std::optional<fs::path> cache = absolute_from("XDG_CACHE_HOME");
  if (!cache) {
    cache = absolute_from("HOME");
    if (!cache) return std::nullopt;
    *cache /= ".cache";
  }
  std::vector<std::string> names;
  for (const fs::path& path : paths) names.push_back(fs::weakly_canonical(path).native());
  std::ranges::sort(names);
  names.push_back(fs::weakly_canonical(model).native());
  std::string key;
  for (const std::string& name : names) (key += name) += '\0';
  const content_hash hash = hash_of(key);
  return *cache / "fovea" / program / fmt::format("{:016x}{:016x}.safetensors", hash.high, hash.low);
}

fs::path default_model() {
  return fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "models" / "minilm";
}

} // namespace semantic_search
