#include <fovea/programs/tagged_tokens.hpp>

#include <algorithm>

namespace fovea::programs {

std::vector<tagged_token> tagged_tokens(const std::string& text, const tokenizer& words,
                                        std::span<const token_id> ids, std::span<const float> scores) {
  const std::vector<token_id> own = words.encode(text, {.special = false}).ids;
  const std::size_t width = scores.size() / ids.size();
  // A text that was cut holds the beginning of its own tokens.
  const auto first = static_cast<std::size_t>(
      std::ranges::find_first_of(ids, std::span(own).first(std::min<std::size_t>(1, own.size()))) -
      ids.begin());
  std::vector<tagged_token> found;
  for (std::size_t i = 0; i < own.size() && first + i < ids.size() && ids[first + i] == own[i]; ++i)
    found.push_back({std::string(words.token(own[i])),
                     labels::best(labels::probabilities(scores.subspan((first + i) * width, width)))});
  return found;
}

} // namespace fovea::programs
