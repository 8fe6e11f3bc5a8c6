#include <fovea/programs/answer_file.hpp>

#include <fovea/base/error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace fovea::programs {

answer_file::answer_file(const std::filesystem::path& path, bool resume)
    : name_(path.string()), file_(core::system::open_to_append(path)) {
  const auto reason = [] { return std::generic_category().message(errno); };
  if (!file_) throw error(name_ + ": cannot open: " + reason());
  if (!file_.lock())
    throw error(name_ + ": another process writes it; expected a file of its own for each worker");
  const auto about = file_.status();
  if (!about) throw error(name_ + ": cannot be read: " + reason());
  if (about->kind != core::system::file_kind::regular) throw error(name_ + ": expected a regular file");
  if (about->size > 0 && !resume)
    throw error(name_ +
                ": the file holds something; --resume goes on behind it, another --output begins anew");
  size_ = about->size;
  held_ = end_of_lines();
  lines_.open(path, std::ios::binary);
}

/// The bytes up to its last line's end.
std::size_t answer_file::end_of_lines() const {
  std::array<char, 1 << 16> block;
  for (std::size_t size = size_; size > 0;) {
    const std::size_t bytes = std::min(size, block.size());
    if (file_.read_at(size - bytes, std::as_writable_bytes(std::span(block).first(bytes))) !=
        static_cast<std::ptrdiff_t>(bytes))
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
  if (held_ < size_ && !file_.shorten(held_)) fail("cannot cut the torn last line");
  size_ = held_;
  while (!lines.empty()) {
    const std::ptrdiff_t written = file_.write(std::as_bytes(std::span(lines)));
    if (written < 0) fail("cannot write");
    lines.remove_prefix(static_cast<std::size_t>(written));
  }
}

void answer_file::flush() {
  if (!file_.flush()) fail("cannot flush");
}

void answer_file::fail(const char* what) const {
  throw std::runtime_error(name_ + ": " + what + ": " + std::generic_category().message(errno));
}

} // namespace fovea::programs
