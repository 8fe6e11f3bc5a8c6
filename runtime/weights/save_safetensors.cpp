#include <fovea/runtime/weights/safetensors.hpp>

#include <fovea/runtime/error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace fovea {
namespace {

constexpr std::size_t data_alignment = 64;

/// A file under a temporary name beside `path`, removed unless it is committed.
class temporary_file {
public:
  explicit temporary_file(const std::filesystem::path& path)
      : path_(path), name_(unused_name(path)),
        descriptor_(::open(name_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) fail("cannot create a file beside it");
  }
  ~temporary_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;

  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail("cannot write");
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
  }

  void commit() {
    if (::fsync(descriptor_) != 0) fail("cannot flush");
    if (::rename(name_.c_str(), path_.c_str()) != 0) fail("cannot rename the finished file");
    name_.clear();
  }

private:
  static std::string unused_name(const std::filesystem::path& path) {
    static std::atomic<unsigned> count{0};
    return path.string() + "." + std::to_string(::getpid()) + "." + std::to_string(count++) + ".partial";
  }
  [[noreturn]] void fail(const char* what) const {
    const std::string reason = std::generic_category().message(errno);
    throw error(path_.string() + ": " + what + ": " + reason);
  }

  const std::filesystem::path& path_;
  std::string name_;
  int descriptor_;
};

} // namespace

void save_safetensors(const std::filesystem::path& path, const std::map<std::string, stored_tensor>& tensors,
                      const std::map<std::string, std::string>& metadata) {
  nlohmann::json header = nlohmann::json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  // Wide elements first: then every tensor is aligned to its element though the format allows no padding.
  std::vector<std::pair<std::string, stored_tensor>> order(tensors.begin(), tensors.end());
  std::ranges::sort(order, [](const auto& one, const auto& other) {
    return std::pair(block_bytes(other.second.type), std::string_view(one.first)) <
           std::pair(block_bytes(one.second.type), std::string_view(other.first));
  });
  std::size_t end = 0;
  for (const auto& [name, tensor] : order) {
    if (block_length(tensor.type) > 1)
      throw error(path.string() + ": tensor '" + name + "': a safetensors file has no type " +
                  std::string(element_name(tensor.type)));
    const auto expected = tensor_bytes(tensor.type, tensor.shape);
    if (expected != tensor.bytes.size())
      throw error(path.string() + ": tensor '" + name + "' of shape " + shape_text(tensor.shape) +
                  " expects " + (expected ? std::to_string(*expected) : "more than 2^64") + " bytes; found " +
                  std::to_string(tensor.bytes.size()));
    header[name] = {{"dtype", element_name(tensor.type)},
                    {"shape", tensor.shape},
                    {"data_offsets", {end, end + tensor.bytes.size()}}};
    end += tensor.bytes.size();
  }
  std::string text = header.dump();
  text.append((data_alignment - (sizeof(std::uint64_t) + text.size()) % data_alignment) % data_alignment,
              ' ');
  std::string length;
  for (std::size_t i = 0; i < sizeof(std::uint64_t); ++i)
    length += static_cast<char>((text.size() >> (8 * i)) & 0xff);

  temporary_file file(path);
  file.write(std::as_bytes(std::span(length)));
  file.write(std::as_bytes(std::span(text)));
  for (const auto& [name, tensor] : order) file.write(tensor.bytes);
  file.commit();
}

} // namespace fovea
