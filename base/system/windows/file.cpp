#include <fovea/base/system/file.hpp>

#include <algorithm>
#include <cerrno>
#include <climits>

#include <fcntl.h>
#include <io.h>
#include <windows.h>

namespace fovea::core::system {
namespace {

/// Leaves the reason of a call of Windows where those of C leave it.
bool told(BOOL done) noexcept {
  if (done != 0) return true;
  switch (::GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
      errno = ENOENT;
      break;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
      errno = EACCES;
      break;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
      errno = EEXIST;
      break;
    case ERROR_DISK_FULL:
      errno = ENOSPC;
      break;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_COMMITMENT_LIMIT:
      errno = ENOMEM;
      break;
    case ERROR_NOT_SAME_DEVICE:
      errno = EXDEV;
      break;
    default:
      errno = EIO;
  }
  return false;
}

HANDLE handle_of(int descriptor) noexcept { return reinterpret_cast<HANDLE>(::_get_osfhandle(descriptor)); }

/// What one call of C reads or writes at most.
unsigned some(std::size_t bytes) noexcept {
  return static_cast<unsigned>(std::min<std::size_t>(bytes, INT_MAX));
}

/// Of a share that lets others rename and remove the file, as other systems do.
file opened(const std::filesystem::path& path, DWORD access, DWORD how, int flags) {
  constexpr DWORD shared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  // A folder is opened, too, to be told from a file.
  constexpr DWORD folders = FILE_FLAG_BACKUP_SEMANTICS;
  HANDLE open =
      ::CreateFileW(path.c_str(), access, shared, nullptr, how, FILE_ATTRIBUTE_NORMAL | folders, nullptr);
  if (!told(open != INVALID_HANDLE_VALUE)) return file();
  const int descriptor =
      ::_open_osfhandle(reinterpret_cast<intptr_t>(open), flags | _O_BINARY | _O_NOINHERIT);
  if (descriptor < 0) ::CloseHandle(open);
  return file(descriptor);
}

} // namespace

file::~file() {
  if (descriptor_ >= 0) ::_close(descriptor_);
}

std::optional<file_status> file::status() const {
  HANDLE handle = handle_of(descriptor_);
  const DWORD type = ::GetFileType(handle);
  if (type == FILE_TYPE_PIPE) return file_status{file_kind::pipe, 0};
  if (type == FILE_TYPE_CHAR) return file_status{file_kind::device, 0};
  BY_HANDLE_FILE_INFORMATION about{};
  if (!told(::GetFileInformationByHandle(handle, &about))) return std::nullopt;
  if ((about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0) return file_status{file_kind::folder, 0};
  return file_status{file_kind::regular,
                     static_cast<std::size_t>(about.nFileSizeHigh) << 32 | about.nFileSizeLow};
}

std::ptrdiff_t file::read(std::span<std::byte> to) const {
  return ::_read(descriptor_, to.data(), some(to.size()));
}

std::ptrdiff_t file::write(std::span<const std::byte> from) const {
  return ::_write(descriptor_, from.data(), some(from.size()));
}

std::ptrdiff_t file::read_at(std::size_t offset, std::span<std::byte> to) const {
  if (::_lseeki64(descriptor_, static_cast<long long>(offset), SEEK_SET) < 0) return -1;
  return read(to);
}

bool file::shorten(std::size_t bytes) const {
  const int reason = ::_chsize_s(descriptor_, static_cast<long long>(bytes));
  if (reason != 0) errno = reason;
  return reason == 0;
}

bool file::flush() const { return ::_commit(descriptor_) == 0; }

bool file::lock() const {
  // A byte that no file reaches: a lock keeps others from reading what it covers.
  OVERLAPPED place{};
  place.OffsetHigh = 0x7fffffff;
  constexpr DWORD at_once = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
  return ::LockFileEx(handle_of(descriptor_), at_once, 0, 1, 0, &place) != 0 ||
         ::GetLastError() != ERROR_LOCK_VIOLATION;
}

const std::byte* file::map(std::size_t bytes) const {
  HANDLE mapping = ::CreateFileMappingW(handle_of(descriptor_), nullptr, PAGE_READONLY, 0, 0, nullptr);
  if (!told(mapping != nullptr)) return nullptr;
  const void* address = ::MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, bytes);
  told(address != nullptr);
  ::CloseHandle(mapping); // the view holds it
  return static_cast<const std::byte*>(address);
}

void unmap(const std::byte* bytes, std::size_t) noexcept { ::UnmapViewOfFile(bytes); }

void let_go(const std::byte*, std::size_t) noexcept {}

file open_to_read(const std::filesystem::path& path) {
  return opened(path, GENERIC_READ, OPEN_EXISTING, _O_RDONLY);
}

file open_at_once(const std::filesystem::path& path) { return open_to_read(path); }

file open_to_append(const std::filesystem::path& path) {
  file open = opened(path, GENERIC_READ | GENERIC_WRITE, OPEN_ALWAYS, _O_RDWR | _O_APPEND);
  if (!open) return open;
  if (const std::optional<file_status> about = open.status(); about && about->kind == file_kind::folder) {
    errno = EISDIR;
    return file();
  }
  return open;
}

file create(const std::filesystem::path& path) { return opened(path, GENERIC_WRITE, CREATE_NEW, _O_WRONLY); }

file create_unnamed(const std::filesystem::path&) { return file(); }

file standard_input() {
  const int same = ::_dup(::_fileno(stdin));
  if (same >= 0) ::_setmode(same, _O_BINARY);
  return file(same);
}

bool name(const file&, const std::filesystem::path&) {
  errno = ENOSYS;
  return false;
}

bool replace(const std::filesystem::path& from, const std::filesystem::path& to) {
  return told(::MoveFileExW(from.c_str(), to.c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH));
}

bool remove(const std::filesystem::path& path) { return told(::DeleteFileW(path.c_str())); }

bool flush_folder(const std::filesystem::path&) { return true; } // the move was written through

unsigned long process_number() noexcept { return ::GetCurrentProcessId(); }

} // namespace fovea::core::system
