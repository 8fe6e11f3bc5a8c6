#include <fovea/programs/answer_file.hpp>

#include <fovea/base/error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <stdexcept>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace fovea::programs {

answer_file::answer_file(const std::filesystem::path& path, bool resume)
    : name_(path.string()), descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
  const auto reason = [] { return std::generic_category().message(errno); };
  if (descriptor_ < 0) throw error(name_ + ": cannot open: " + reason());
  try {
    // A file system without locks writes without.
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
      throw error(name_ + ": another process writes it; expected a file of its own for each worker");
    struct stat about {};
    if (::fstat(descriptor_, &about) != 0) throw error(name_ + ": cannot be read: " + reason());
    if (!S_ISREG(about.st_mode)) throw error(name_ + ": expected a regular file");
    if (about.st_size > 0 && !resume)
      throw error(name_ +
                  ": the file holds something; --resume goes on behind it, another --output begins anew");
    size_ = static_cast<std::size_t>(about.st_size);
    held_ = end_of_lines();
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
  lines_.open(path, std::ios::binary);
}

answer_file::~answer_file() { ::close(descriptor_); }

/// The bytes up to its last line's end.
std::size_t answer_file::end_of_lines() const {
  std::array<char, 1 << 16> block;
  for (std::size_t size = size_; size > 0;) {
    const std::size_t bytes = std::min(size, block.size());
    if (::pread(descriptor_, block.data(), bytes, static_cast<off_t>(size - bytes)) !=
        static_cast<ssize_t>(bytes))
      fail("cannot be read");
    const std::string_view read(block.data(), bytes);
    if (const std::size_t at = read.rfind('\n'); at != std::string_view::npos) return size - bytes + at + 1;
    size -= bytes;
  }
  return 0;
}

std::optional<written_line> answer_file::next() {
  if (bytes_read_ == held_) return std::nullopt;
  std::string line;
  if (!std::getline(lines_, line)) fail("cannot be read");
  bytes_read_ += line.size() + 1;
  return written_line{std::move(line), name_ + ":" + std::to_string(++lines_read_)};
}

void answer_file::append(std::string_view lines) {
  // Not before: until something is to be written, the file may be another one that was named by mistake.
  if (held_ < size_ && ::ftruncate(descriptor_, static_cast<off_t>(held_)) != 0)
    fail("cannot cut the torn last line");
  size_ = held_;
  while (!lines.empty()) {
    const ssize_t written = ::write(descriptor_, lines.data(), lines.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write");
    lines.remove_prefix(static_cast<std::size_t>(written));
  }
}

void answer_file::flush() {
  if (::fsync(descriptor_) != 0) fail("cannot flush");
}

void answer_file::fail(const char* what) const {
  throw std::runtime_error(name_ + ": " + what + ": " + std::generic_category().message(errno));
}

} // namespace fovea::programs
