#include <fovea/runtime/tokenizers/text_stream.hpp>

#include <fovea/base/utf8.hpp>

#include <utility>

namespace fovea::core {

std::string text_stream::add(token_id id) {
  tokens_.append_text(id, skip_special_, first_, bytes_);
  const std::size_t whole = bytes_.size() - unfinished_bytes(bytes_);
  std::string text = utf8_or_replacement(std::string_view(bytes_).substr(0, whole));
  bytes_.erase(0, whole);
  return text;
}

std::string text_stream::finish() {
  first_ = true;
  return utf8_or_replacement(std::exchange(bytes_, {}));
}

} // namespace fovea::core
