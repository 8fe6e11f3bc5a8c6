#include <fovea/base/regular_file.hpp>

#include <fovea/base/error.hpp>

#include <cerrno>
#include <string>
#include <system_error>

namespace fovea::core {
namespace {

const char* kind_of(system::file_kind kind) {
  switch (kind) {
    case system::file_kind::regular:
      return "a regular file";
    case system::file_kind::folder:
      return "a folder";
    case system::file_kind::pipe:
      return "a pipe";
    case system::file_kind::socket:
      return "a socket";
    case system::file_kind::device:
      return "a device";
  }
  return "";
}

} // namespace

regular_file::regular_file(const std::filesystem::path& path)
    : path_(path), file_(system::open_at_once(path)) {
  if (path.empty()) throw error("expected the path of a file; found an empty one");
  if (!file_) fail("cannot open");
  const auto status = file_.status();
  if (!status) fail("cannot inspect");
  if (status->kind != system::file_kind::regular)
    throw error(path.string() + ": expected a regular file; found " + kind_of(status->kind));
  size_ = status->size;
}

void regular_file::read(std::span<std::byte> to) const {
  for (std::size_t done = 0; done < to.size();) {
    const std::ptrdiff_t got = file_.read(to.subspan(done));
    if (got < 0) fail("cannot read");
    if (got == 0)
      throw error(path_.string() + ": the file was cut short while it was read: expected " +
                  std::to_string(to.size()) + " bytes; found " + std::to_string(done));
    done += static_cast<std::size_t>(got);
  }
}

void regular_file::fail(const char* what) const {
  const int reason = errno;
  throw error(path_.string() + ": " + what + ": " + std::generic_category().message(reason));
}

void refuse_memory(const file_path& path) {
  std::error_code unknown; // a folder's
  const auto size = std::filesystem::file_size(std::filesystem::path(path), unknown);
  throw error(path.string() + ": there is not enough memory to read " +
              (unknown ? "it" : "its " + std::to_string(size) + " bytes"));
}

} // namespace fovea::core
