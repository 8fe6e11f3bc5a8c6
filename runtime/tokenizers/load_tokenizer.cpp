#include <fovea/base/mapped_file.hpp>
#include <fovea/base/regular_file.hpp>
#include <fovea/runtime/tokenizers/gguf_tokenizer.hpp>
#include <fovea/runtime/tokenizers/llama2c_tokenizer.hpp>
#include <fovea/runtime/tokenizers/packed_tokenizer.hpp>
#include <fovea/runtime/tokenizers/sentence_piece.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>
#include <fovea/weights/gguf.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

namespace fovea::core {
namespace {

/// A SentencePiece model begins with the tag of its first piece, which is a line feed, and the piece's
/// length.
bool begins_sentence_piece(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return text.starts_with('\n') && begin != std::string_view::npos && text[begin] != '{';
}

/// By the content of what `open` gives, but for llama2.c's, which has no mark: its path ends in .bin.
template <class F>
tokenizer opened(const file_path& path, F open) try {
  const std::shared_ptr<mapped_file> file = open();
  const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  if (text.starts_with("GGUF")) {
    const gguf_file whole(path, file);
    return has_packed_tokenizer(whole.metadata()) ? packed_tokenizer_in(whole, file)
                                                  : gguf_tokenizer(whole.metadata());
  }
  if (std::filesystem::path(path).extension() == ".bin")
    return parse_llama2c_tokenizer(file->bytes(), path.string());
  if (begins_sentence_piece(text)) return parse_sentence_piece(text, path.string());
  return parse_tokenizer(text, path.string());
} catch (const std::bad_alloc&) {
  refuse_memory(path);
}

} // namespace

tokenizer load_tokenizer(const file_path& path) {
  return opened(path, [&] { return std::make_shared<mapped_file>(path); });
}
tokenizer load_tokenizer(std::span<const std::byte> bytes, const std::string& name, load_options how) {
  const auto at = reinterpret_cast<std::uintptr_t>(bytes.data());
  how.copy |= at % alignof(std::max_align_t) != 0; // as a mapped file lies
  return opened(name, [&] { return std::make_shared<mapped_file>(bytes, name, how); });
}

} // namespace fovea::core
