#pragma once

#include <fovea/library/handle.hpp>
#include <fovea/library/library.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fovea::library {

/// What a pointer to a tokenizer in C stands for, with what its last call gave.
struct tokenizer_handle {
  tokenizer words{nullptr};
  std::vector<std::int32_t> tokens = {};
  std::string text = {};
};

/// Throw fovea::error.
tokenizer tokenizer_of(const char* file);
tokenizer tokenizer_of(bytes_in_memory file);

/// A handle H of the tokenizer in a file or its bytes; or null, and why.
template <class H, class source>
H* open_tokenizer(source file) noexcept {
  H* opened = nullptr;
  answer([&] {
    auto made = std::make_unique<H>();
    made->words = tokenizer_of(file);
    opened = made.release();
  });
  return opened;
}

/// As the functions in C say: null where they fail.
const std::int32_t* encoded(tokenizer_handle* by, const char* text, std::size_t bytes, std::size_t most,
                            std::size_t* count) noexcept;
const char* decoded(tokenizer_handle* by, const std::int32_t* tokens, std::size_t count) noexcept;

} // namespace fovea::library
