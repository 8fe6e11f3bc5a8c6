#include "texts.hpp"

#include <fovea/base/regular_file.hpp>
#include <fovea/base/utf8.hpp>

#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <map>
#include <memory>
#include <system_error>

namespace semantic_search {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, int code) {
  throw fovea::error(path.string() + ": " + std::generic_category().message(code));
}

struct stat status_of(const fs::path& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) fail(path, errno);
  return status;
}

bool is_hidden(const fs::path& path) { return path.filename().native().starts_with('.'); }

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied);
  for (; entry != fs::recursive_directory_iterator(); ++entry) {
    std::error_code broken_link;
    if (is_hidden(entry->path()))
      entry.disable_recursion_pending();
    else if (entry->is_regular_file(broken_link))
      files.push_back(entry->path());
  }
  return files;
}

} // namespace

std::vector<text_file> find_texts(std::span<const fs::path> paths) {
  struct candidate {
    text_file file;
    bool link;
  };
  std::vector<candidate> candidates;
  for (const fs::path& path : paths) {
    const struct stat status = status_of(path);
    if (S_ISDIR(status.st_mode)) {
      for (const fs::path& file : files_in(path))
        candidates.push_back({{file.lexically_normal(), false}, fs::is_symlink(file)});
    } else if (S_ISREG(status.st_mode)) {
      candidates.push_back({{path, true}, fs::is_symlink(path)});
    } else {
      throw fovea::error(path.string() + ": expected a file or a folder");
    }
  }

  // By device and inode: hard links are the same file as well.
  std::map<std::pair<dev_t, ino_t>, candidate> real;
  for (const candidate& c : candidates) {
    const struct stat status = status_of(c.file.path);
    const auto [at, is_new] = real.try_emplace({status.st_dev, status.st_ino}, c);
    if (is_new) continue;
    candidate& known = at->second;
    const bool named = known.file.named || c.file.named;
    if (std::pair(c.link, c.file.path) < std::pair(known.link, known.file.path)) known = c;
    known.file.named = named;
  }
  std::vector<text_file> files;
  for (const auto& [id, c] : real) files.push_back(c.file);
  std::ranges::sort(files, {}, &text_file::path);
  return files;
}

std::string read_text(const fs::path& path) {
  fovea::core::regular_file bytes(path);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(::fdopen(bytes.file().descriptor(), "rb"),
                                                             &std::fclose);
  if (!file) fail(path, errno);
  bytes.release();
  std::string text;
  constexpr std::size_t block = std::size_t{1} << 16;
  for (std::size_t count = block; count == block;) {
    const std::size_t before = text.size();
    text.resize(before + block);
    count = std::fread(text.data() + before, 1, block, file.get());
    text.resize(before + count);
    if (text.find('\0', before) != std::string::npos)
      throw not_a_text(path.string() + ": expected a text; found a binary file");
  }
  if (std::ferror(file.get())) fail(path, errno);
  try {
    fovea::core::check_utf8(text);
  } catch (const fovea::error& problem) {
    throw not_a_text(path.string() + ": " + problem.what());
  }
  return text;
}

content_hash hash_of(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

file_stamp stamp_of(const fs::path& path) {
  const struct stat status = status_of(path);
  return {status.st_size, std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

} // namespace semantic_search
