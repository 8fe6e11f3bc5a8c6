#include "system.hpp"

#include "../file_content.hpp"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include <windows.h>

namespace fovea::core::test {
namespace {

/// A word as a program finds it again in its command line: a quotation mark has a backslash before it, and so have the backslashes
/// before that.
std::wstring quoted(const std::wstring& word) {
  std::wstring text = L"\"";
  std::size_t backslashes = 0;
  for (const wchar_t c : word) {
    if (c == L'"') text.append(backslashes + 1, L'\\');
    backslashes = c == L'\\' ? backslashes + 1 : 0;
    text += c;
  }
  return text.append(backslashes, L'\\') + L"\" ";
}

} // namespace

std::size_t page() {
  SYSTEM_INFO about;
  ::GetSystemInfo(&about);
  return about.dwPageSize;
}

unsigned char* take_guarded_pages(std::size_t bytes) {
  void* const first = ::VirtualAlloc(nullptr, bytes + 2 * page(), MEM_RESERVE, PAGE_NOACCESS);
  if (first == nullptr) return nullptr;
  auto* const pages = static_cast<unsigned char*>(first) + page();
  if (::VirtualAlloc(pages, bytes, MEM_COMMIT, PAGE_READWRITE) != nullptr) return pages;
  ::VirtualFree(first, 0, MEM_RELEASE);
  return nullptr;
}

void give_back_guarded_pages(unsigned char* pages, std::size_t) noexcept {
  ::VirtualFree(pages - page(), 0, MEM_RELEASE);
}

std::vector<irregular_file> irregular_files(const std::filesystem::path& folder) {
  return {{"NUL", "a device"}, {folder, "a folder"}};
}

int run_program(const std::vector<std::string>& words, const std::filesystem::path& output) {
  std::wstring line;
  for (const std::string& word : words)
    line += quoted(std::filesystem::path(std::u8string(word.begin(), word.end())).wstring());
  SECURITY_ATTRIBUTES handed_on{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
  HANDLE file =
      ::CreateFileW(output.c_str(), GENERIC_WRITE, FILE_SHARE_READ, &handed_on, CREATE_ALWAYS, 0, nullptr);
  STARTUPINFOW how{};
  how.cb = sizeof how;
  how.dwFlags = STARTF_USESTDHANDLES;
  how.hStdInput = ::GetStdHandle(STD_INPUT_HANDLE);
  how.hStdOutput = how.hStdError = file;
  PROCESS_INFORMATION made{};
  const bool started =
      ::CreateProcessW(nullptr, line.data(), nullptr, nullptr, TRUE, 0, nullptr, nullptr, &how, &made) != 0;
  ::CloseHandle(file);
  if (!started) throw std::runtime_error("cannot start " + words.front());
  DWORD status = 0;
  ::WaitForSingleObject(made.hProcess, INFINITE);
  ::GetExitCodeProcess(made.hProcess, &status);
  ::CloseHandle(made.hThread);
  ::CloseHandle(made.hProcess);
  // Lines as they end elsewhere: a program that writes text ends them in this system's way.
  std::string said = content(output);
  std::erase(said, '\r');
  std::ofstream(output, std::ios::binary) << said;
  return static_cast<int>(status);
}

void set_variable(const char* name, const std::string& value) { ::_putenv_s(name, value.c_str()); }

double greatest_angle() { return 1e4; } // MinGW-w64 has pi to 66 bits

} // namespace fovea::core::test
