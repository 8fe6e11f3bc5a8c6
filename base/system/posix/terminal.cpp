#include <fovea/base/system/terminal.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

namespace fovea::core::system {

bool is_terminal(std::FILE* stream) noexcept { return ::isatty(::fileno(stream)) == 1; }

std::size_t columns_of([[maybe_unused]] std::FILE* stream) noexcept {
#ifdef TIOCGWINSZ
  winsize size{};
  if (::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0) return size.ws_col;
#endif
  return 0;
}

void show_utf8() noexcept {}

} // namespace fovea::core::system
