#include <fovea/runtime/training/token_text.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/mapped_file.hpp>
#include <fovea/weights/temporary_file.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fovea::core {

struct token_text::source {
  token_ids held = {};
  std::optional<mapped_file> file = {};
  std::string name = "the text";

  std::size_t size() const { return file ? file->bytes().size() / 2 : held.size(); }
  std::int32_t at(std::size_t i) const {
    if (!file) return held[i];
    const auto byte = [&](std::size_t k) { return std::to_integer<std::int32_t>(file->bytes()[2 * i + k]); };
    return byte(0) | byte(1) << 8;
  }
};

token_text::token_text(std::shared_ptr<const source> from) : from_(std::move(from)), last_(from_->size()) {}

token_text::token_text(token_ids ids) {
  auto from = std::make_shared<source>();
  from->held = std::move(ids);
  *this = token_text(std::shared_ptr<const source>(std::move(from)));
}

token_text token_text::mapped(const file_path& path) {
  auto from = std::make_shared<source>();
  from->file.emplace(path);
  from->name = path.string();
  const std::size_t bytes = from->file->bytes().size();
  if (bytes % 2 != 0)
    throw error(path.string() + ": expected 16-bit tokens, found an odd number of bytes, " +
                std::to_string(bytes));
  return token_text(std::move(from));
}

token_text token_text::part(std::size_t first, std::size_t last) const {
  token_text made = *this;
  made.last_ = first_ + std::min(last, size());
  made.first_ = std::min(first_ + first, made.last_);
  return made;
}

void token_text::copy(std::size_t first, std::span<std::int32_t> to, std::size_t vocabulary) const {
  if (first + to.size() > size())
    throw error(from_->name + ": expected tokens up to " + std::to_string(first + to.size()) + ", found " +
                std::to_string(size()));
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] = from_->at(first_ + first + i);
    if (to[i] < 0 || static_cast<std::size_t>(to[i]) >= vocabulary)
      throw error(from_->name + ": token " + std::to_string(first_ + first + i) + " is " +
                  std::to_string(to[i]) + ", outside the vocabulary of " + std::to_string(vocabulary));
  }
}

void save_tokens(const file_path& path, std::span<const token_id> ids) {
  std::vector<std::byte> bytes;
  bytes.reserve(2 * ids.size());
  for (const token_id id : ids) {
    if (id < 0 || id > 0xffff)
      throw error(path.string() + ": expected tokens from 0 to 65535, found " + std::to_string(id));
    bytes.push_back(static_cast<std::byte>(id & 0xff));
    bytes.push_back(static_cast<std::byte>(id >> 8));
  }
  temporary_file file(path);
  file.write(bytes);
  file.commit();
}

} // namespace fovea::core
