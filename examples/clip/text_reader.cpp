#include "text_reader.hpp"

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>

namespace clip_program {

text_reader::text_reader(const std::filesystem::path& file, const fovea::models::clip_config& shape)
    : words_(fovea::load_tokenizer(file)), context_(static_cast<std::size_t>(shape.context)) {
  const auto vocabulary = static_cast<std::size_t>(shape.vocab);
  if (words_.vocabulary_size() > vocabulary)
    throw fovea::error(file.string() + ": expected at most " + std::to_string(vocabulary) +
                       " tokens, as the network has, found " + std::to_string(words_.vocabulary_size()));
  const auto ids = words_.encode("").ids;
  if (ids.empty() || ids.back() != shape.end)
    throw fovea::error(file.string() + ": expected texts that end in token " + std::to_string(shape.end) +
                       ", found " + (ids.empty() ? "no token" : std::to_string(ids.back())) +
                       " at their end");
}

std::vector<std::int32_t> text_reader::operator()(const std::string& text) const {
  std::vector<std::int32_t> ids = words_.encode(text).ids;
  const std::size_t around = words_.encode("").ids.size();
  if (ids.size() == around || ids.size() > context_)
    throw fovea::error("text " + fovea::core::in_quotes(text) + ": expected 1 to " +
                       std::to_string(context_ - around) + " tokens, found " +
                       std::to_string(ids.size() - around));
  return ids;
}

} // namespace clip_program
