#include <fovea/base/file_path.hpp>

#include <catch2/catch.hpp>

#include <concepts>
#include <filesystem>
#include <string>
#include <string_view>

using fovea::core::file_path;

namespace {

template <class... types>
constexpr bool all_name_files = (std::convertible_to<types, file_path> && ...);
static_assert(all_name_files<const char*, std::string, std::string_view, std::filesystem::path,
                             const std::filesystem::path&, const std::filesystem::directory_entry&>);
static_assert(!all_name_files<int> && !all_name_files<std::wstring>);
static_assert(std::convertible_to<file_path, std::filesystem::path>);

std::string text_of(const file_path& path) { return path.string(); }

} // namespace

TEST_CASE("a file is named by what a path is made from", "[base]") {
  const std::filesystem::path path = "folder/file";
  CHECK(text_of("folder/file") == path);
  CHECK(text_of(std::string("folder/file")) == path);
  CHECK(text_of(std::string_view("folder/file")) == path);
  CHECK(text_of(path) == path);
  CHECK(text_of(std::filesystem::directory_entry(path)) == path);
  CHECK(std::filesystem::path(file_path(path)) == path);
}

TEST_CASE("a path is the same text on every system", "[base]") {
  const std::string text = "poids é/重み \U0001f4be.gguf";
  const std::filesystem::path path = file_path(text);
  CHECK(path == std::filesystem::path(u8"poids é/重み \U0001f4be.gguf"));
  CHECK(text_of(path) == text);
}
