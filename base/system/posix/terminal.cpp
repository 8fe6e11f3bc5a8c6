#include <fovea/base/system/terminal.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

namespace fovea::core::system {

bool is_terminal(std::FILE* stream) noexcept { return ::isatty(::fileno(stream)) == 1; }

std::size_t columns_of(std::FILE* stream) noexcept {
  winsize size{};
  return ::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

} // namespace fovea::core::system
