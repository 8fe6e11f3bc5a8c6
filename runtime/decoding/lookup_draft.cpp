#include <fovea/runtime/decoding/lookup_draft.hpp>

#include <fovea/base/error.hpp>

#include <algorithm>
#include <string>

namespace fovea::core {
namespace {

/// Behind the last place before its end where the text has its newest tokens, so many; 0 where there is none.
std::size_t behind_last(std::span<const token_id> text, std::size_t count) {
  const std::span<const token_id> newest = text.last(count);
  for (std::size_t end = text.size() - 1; end >= count; --end)
    if (std::ranges::equal(text.subspan(end - count, count), newest)) return end;
  return 0;
}

} // namespace

lookup_draft::lookup_draft(const lookup_options& options) : options_(options) {
  detail::check_proposed("lookup_draft", options.tokens);
  if (options.shortest == 0 || options.shortest > options.longest)
    throw error("lookup_draft: expected shortest of 1 to longest, " + std::to_string(options.longest) +
                "; found " + std::to_string(options.shortest));
}

std::vector<proposed_token> lookup_draft::propose(std::span<const token_id> text, std::size_t most,
                                                  const sampling_options&) const {
  std::vector<proposed_token> proposed;
  for (std::size_t count = std::min(options_.longest, text.size()); count >= options_.shortest; --count) {
    const std::size_t begin = count < text.size() ? behind_last(text, count) : 0;
    if (begin == 0) continue;
    // What goes beyond the end of the text repeats the proposal itself.
    for (std::size_t i = 0, at = begin; i < std::min(most, options_.tokens); ++i, ++at)
      proposed.push_back({at < text.size() ? text[at] : proposed[at - text.size()].id});
    break;
  }
  return proposed;
}

} // namespace fovea::core
