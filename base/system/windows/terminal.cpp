#include <fovea/base/system/terminal.hpp>

#include <io.h>
#include <windows.h>

namespace fovea::core::system {

bool is_terminal(std::FILE* stream) noexcept { return ::_isatty(::_fileno(stream)) != 0; }

std::size_t columns_of(std::FILE* stream) noexcept {
  CONSOLE_SCREEN_BUFFER_INFO about{};
  auto* console = reinterpret_cast<HANDLE>(::_get_osfhandle(::_fileno(stream)));
  if (::GetConsoleScreenBufferInfo(console, &about) == 0) return 0;
  return static_cast<std::size_t>(about.srWindow.Right - about.srWindow.Left + 1);
}

void show_utf8() noexcept { ::SetConsoleOutputCP(CP_UTF8); }

} // namespace fovea::core::system
