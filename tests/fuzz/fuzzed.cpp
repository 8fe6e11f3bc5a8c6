#include "fuzzed.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace fovea::core::fuzz {

void require(bool held) {
  if (!held) std::abort();
}

input_file::input_file(const char* name) {
  std::string folder = "/dev/shm/fovea-fuzz-XXXXXX";
  require(mkdtemp(folder.data()) != nullptr);
  path_ = std::filesystem::path(folder) / name;
  descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  require(descriptor_ >= 0);
}

input_file::~input_file() {
  close(descriptor_);
  std::error_code ignored;
  std::filesystem::remove_all(path_.parent_path(), ignored);
}

text_and_file::text_and_file(std::string_view input) {
  if (input.empty()) return;
  const std::size_t length = static_cast<unsigned char>(input.front());
  input.remove_prefix(1);
  text = input.substr(0, std::min(length, input.size()));
  file = input.substr(text.size());
}

} // namespace fovea::core::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fovea::core::fuzz::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
