#include <fovea/library/tokenizer_handle.hpp>

#include <fovea/base/error.hpp>

#include <span>
#include <string_view>

namespace fovea::library {
namespace {

tokenizer_handle& open_one(tokenizer_handle* by) {
  if (by == nullptr) throw error("tokenizer: expected what an open has given, found NULL");
  return *by;
}

} // namespace

tokenizer tokenizer_of(const char* file) {
  if (file == nullptr) throw error("tokenizer: expected a file, found NULL");
  return load_tokenizer(core::file_path(file));
}

tokenizer tokenizer_of(bytes_in_memory file) {
  if (file.first == nullptr) throw error("tokenizer in memory: expected bytes, found NULL");
  return load_tokenizer({static_cast<const std::byte*>(file.first), file.count});
}

const std::int32_t* encoded(tokenizer_handle* by, const char* text, std::size_t bytes, std::size_t most,
                            std::size_t* count) noexcept {
  const int failed = answer([&] {
    tokenizer_handle& words = open_one(by);
    if (text == nullptr && bytes > 0) throw error("encode: expected a text, found NULL");
    words.tokens = words.words.encode(std::string_view(text, bytes), {.max_length = most}).ids;
    words.tokens.reserve(1); // no tokens have a place, too
    if (count != nullptr) *count = words.tokens.size();
  });
  return failed ? nullptr : by->tokens.data();
}

const char* decoded(tokenizer_handle* by, const std::int32_t* tokens, std::size_t count) noexcept {
  const int failed = answer([&] {
    tokenizer_handle& words = open_one(by);
    if (tokens == nullptr && count > 0) throw error("decode: expected tokens, found NULL");
    words.text = words.words.decode(std::span(tokens, count));
  });
  return failed ? nullptr : by->text.c_str();
}

} // namespace fovea::library
