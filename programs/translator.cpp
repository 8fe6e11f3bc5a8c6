#include <fovea/programs/translator.hpp>

#include <fovea/base/error.hpp>
#include <fovea/programs/token_ids.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fovea::programs {

translator::translator(next_token_network& network, tokenizer source, tokenizer target,
                       const program_parts& parts, std::size_t longest)
    : network_(network), source_(std::move(source)), target_(std::move(target)), longest_(longest),
      begin_(id_of(parts.begin, target_)), source_end_(id_of(parts.end.front(), source_)),
      end_(ids_of(parts.end, target_)) {}

std::vector<hypothesis> translator::operator()(const std::string& text, const std::string& place,
                                               const beam_options& how, std::size_t most_tokens) {
  network_.read(source_ids(text, place));
  const std::size_t most = most_tokens == 0 ? longest_ : std::min(most_tokens, longest_);
  return beam_search(network_, token_ids{begin_}, how, {.max_tokens = most, .end = end_});
}

token_ids translator::source_ids(const std::string& text, const std::string& place) const {
  token_ids ids = source_.encode(text).ids;
  if (ids.size() == around_) throw error(place + ": the text is empty");
  if (ids.back() != source_end_) ids.push_back(source_end_);
  if (ids.size() > longest_ + 1)
    throw error(
        fmt::format("{}: the text has {} tokens; expected at most {}", place, ids.size() - 1, longest_));
  return ids;
}

} // namespace fovea::programs
