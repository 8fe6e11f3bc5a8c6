#include <fovea/weights/temporary_file.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/file_path.hpp>

#include <atomic>
#include <cerrno>
#include <system_error>

namespace fovea::core {
namespace {

std::filesystem::path unused_name(const std::filesystem::path& path) {
  static std::atomic<unsigned> count{0};
  return file_path(path.string() + "." + std::to_string(system::process_number()) + "." +
                   std::to_string(count++) + ".partial");
}

const std::filesystem::path& checked(const std::filesystem::path& path) {
  if (path.empty()) throw error("expected the path of a file; found an empty one");
  return path;
}

} // namespace

temporary_file::temporary_file(const std::filesystem::path& path)
    : path_(checked(path)), folder_(path.has_parent_path() ? path.parent_path() : "."),
      file_(system::create_unnamed(folder_)) {
  if (file_) return;
  do {
    name_ = unused_name(path);
    file_ = system::create(name_);
  } while (!file_ && errno == EEXIST);
  if (!file_) fail("cannot create a file beside it");
}

temporary_file::~temporary_file() {
  if (!name_.empty()) system::remove(name_);
}

void temporary_file::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::ptrdiff_t written = file_.write(bytes);
    if (written < 0) fail("cannot write");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void temporary_file::commit() {
  if (!file_.flush()) fail("cannot flush");
  if (name_.empty()) link();
  if (!name_.empty() && !system::replace(name_, path_)) fail("cannot rename the finished file");
  name_.clear();
  if (!system::flush_folder(folder_)) fail("cannot flush its folder");
}

/// Gives it the name `path`, or where that is taken one of its own: a link replaces nothing.
void temporary_file::link() {
  if (system::name(file_, path_)) return;
  while (errno == EEXIST) {
    std::filesystem::path name = unused_name(path_);
    if (system::name(file_, name)) {
      name_.swap(name);
      return;
    }
  }
  fail("cannot name the finished file");
}

void temporary_file::fail(const char* what) const {
  const int reason = errno;
  throw error(path_.string() + ": " + what + ": " + std::generic_category().message(reason));
}

} // namespace fovea::core
