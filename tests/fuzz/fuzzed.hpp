#pragma once

#include <fovea/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace fovea::core::fuzz {

/// A file that holds one input after another under a name, for readers that tell by it what it is.
class input_file {
public:
  explicit input_file(const char* name);
  ~input_file();
  input_file(const input_file&) = delete;
  input_file& operator=(const input_file&) = delete;

  /// Its path, under which readers find these bytes: on disk (on_disk.cpp), or in the memory where they lie,
  /// for readers that map their files (in_memory.cpp).
  const std::filesystem::path& holding(std::string_view bytes) const;

private:
  std::filesystem::path path_;
  int descriptor_;
};

/// An input's first byte is the length of a text that stands behind it; what is left is the file.
struct text_and_file {
  explicit text_and_file(std::string_view input);

  std::string_view text, file;
};

/// What a reader may do with bytes: take them, or throw fovea::error. Anything else ends the program.
template <typename function>
void attempt(const function& read) {
  try {
    read();
  } catch (const error&) {
  }
}

/// A failure of the system, not of what is tested.
void require(bool held);

/// What a target does with an input.
void run(std::string_view input);

} // namespace fovea::core::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
