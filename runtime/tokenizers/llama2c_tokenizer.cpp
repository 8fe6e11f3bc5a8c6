#include <fovea/runtime/tokenizers/llama2c_tokenizer.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/runtime/tokenizers/scored_pieces.hpp>
#include <fovea/runtime/tokenizers/state.hpp>
#include <fovea/weights/byte_cursor.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace fovea::core {
namespace {

constexpr token_id unknown = 0, begin = 1, end = 2, first_byte = 3, after_bytes = first_byte + 256;

std::string spelt(std::string_view token, token_id id) {
  if (id == begin) return "<s>"; // the file has line feeds around them
  if (id == end) return "</s>";
  std::string result;
  for (const char c : token)
    if (c == ' ')
      result += meta_space_decoder().mark;
    else
      result += c;
  return result;
}

} // namespace

tokenizer parse_llama2c_tokenizer(std::span<const std::byte> bytes, const std::string& source) {
  byte_cursor file(source, bytes);
  const auto longest = file.read<std::int32_t>("the length of the longest token");
  auto made = std::make_shared<tokenizer::state>();
  std::vector<float> scores;
  while (file.left() > 0) {
    const auto id = static_cast<token_id>(scores.size());
    const std::string name = "token " + std::to_string(id);
    const auto score = file.read<float>(name);
    if (!std::isfinite(score))
      file.fail(name + ": expected a score that is a number; found " + std::to_string(score));
    const auto length = file.read<std::int32_t>(name);
    if (length < 1 || length > longest)
      file.fail(name + ": expected a length of 1 to " + std::to_string(longest) + "; found " +
                std::to_string(length));
    const std::string_view token = file.text(static_cast<std::size_t>(length), name);
    try {
      add_token(*made, spelt(token, id), id);
    } catch (const error& reason) {
      file.fail(reason.what());
    }
    scores.push_back(id < after_bytes ? std::numeric_limits<float>::quiet_NaN() : score);
  }
  if (scores.size() < static_cast<std::size_t>(after_bytes))
    file.fail("expected at least " + std::to_string(after_bytes) + " tokens; found " +
              std::to_string(scores.size()));
  for (int byte = 0; byte < after_bytes - first_byte; ++byte)
    if (made->tokens.token(first_byte + byte) != fallback_token(static_cast<unsigned char>(byte)))
      file.fail("token " + std::to_string(first_byte + byte) + ": expected '" +
                fallback_token(static_cast<unsigned char>(byte)) + "'; found " +
                in_quotes(made->tokens.token(first_byte + byte)));
  made->special = {unknown, begin, end};
  try {
    cut_by_scores(*made, scores, unknown, true);
  } catch (const error& reason) {
    file.fail(reason.what());
  }
  put_around(*made, begin, std::nullopt);
  return tokenizer(std::move(made));
}

} // namespace fovea::core
