#include <fovea/base/system/arguments.hpp>

#include <fovea/base/file_path.hpp>

#include <filesystem>

#include <windows.h>

#include <shellapi.h>

namespace fovea::core::system {

// main gets them in the code page of its user, which lacks most characters.
std::vector<std::string> arguments(int count, char** words) {
  wchar_t** const wide = ::CommandLineToArgvW(::GetCommandLineW(), &count);
  if (wide == nullptr) return {words, words + count};
  std::vector<std::string> texts;
  for (int i = 0; i < count; ++i) texts.push_back(file_path(std::filesystem::path(wide[i])).string());
  ::LocalFree(static_cast<void*>(wide));
  return texts;
}

} // namespace fovea::core::system
