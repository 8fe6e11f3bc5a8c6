#include "transcriber.hpp"

#include "trimmed.hpp"

#include <algorithm>

namespace fovea::programs {
namespace {

constexpr std::size_t frames_of_a_step = 2; // times are 0.02 s apart
constexpr double most_to_go_on = 0.5;       // the temperature of a text that the next one may rely on

} // namespace

token_ids transcriber::prompt() const {
  token_ids made;
  if (!before_.empty()) {
    const std::size_t kept = std::min(before_.size(), tokens_.context / 2 - 1);
    made.push_back(tokens_.before);
    made.insert(made.end(), before_.end() - static_cast<std::ptrdiff_t>(kept), before_.end());
  }
  made.insert(made.end(), beginning_.begin(), beginning_.end());
  return made;
}

std::vector<spoken_text> transcriber::next() {
  const std::size_t frames = std::min(writer_.frames(), sound_.frames() - at_);
  const window_text written = writer_.write(sound_.window(at_, writer_.frames()), prompt());
  if (written.is_silent(writer_.options())) {
    at_ += frames;
    return {};
  }
  std::vector<spoken_text> made = cut(written, frames);
  std::erase_if(made, [](const spoken_text& one) { return one.begin == one.end || one.text.empty(); });
  for (const spoken_text& one : made) before_.insert(before_.end(), one.ids.begin(), one.ids.end());
  if (!goes_on_ || written.temperature > most_to_go_on) before_.clear();
  return made;
}

spoken_text transcriber::text_of(std::span<const token_id> ids, std::size_t begin, std::size_t end,
                                 const window_text& of) const {
  return {begin, end, trimmed(writer_.text_of(ids)), token_ids(ids.begin(), ids.end()), of};
}

/// Two times next to each other part texts. What follows the last such pair is heard again, unless a time ends it: then
/// nobody speaks in the rest of the window.
std::vector<spoken_text> transcriber::cut(const window_text& written, std::size_t frames) {
  const std::span<const token_id> ids(written.ids);
  const std::size_t begin = at_, count = ids.size();
  const auto frame_of = [&](token_id time) { return begin + frames_of_a_step * steps_of(time); };
  const bool ends_alone = count >= 2 && is_time(ids[count - 1]) && !is_time(ids[count - 2]);
  std::vector<std::size_t> ends;
  for (std::size_t i = 1; i < count; ++i)
    if (is_time(ids[i - 1]) && is_time(ids[i])) ends.push_back(i);
  std::vector<spoken_text> made;
  if (ends.empty()) {
    const auto last = std::find_if(ids.rbegin(), ids.rend(), [&](token_id id) { return is_time(id); });
    const bool is_timed = last != ids.rend() && steps_of(*last) > 0;
    at_ += frames;
    return {text_of(ids, begin, is_timed ? frame_of(*last) : at_, written)};
  }
  if (ends_alone) ends.push_back(count);
  std::size_t first = 0;
  for (const std::size_t end : ends) {
    const auto part = ids.subspan(first, end - first);
    made.push_back(text_of(part, frame_of(part.front()), frame_of(part.back()), written));
    first = end;
  }
  // Never the same window again, whatever a model may write.
  at_ = ends_alone ? begin + frames : std::max(frame_of(ids[first - 1]), begin + 1);
  return made;
}

} // namespace fovea::programs
