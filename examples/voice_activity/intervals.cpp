#include "intervals.hpp"

#include <algorithm>

namespace voice_activity_program {

std::optional<picture::span_of_time> interval_finder::closed(double begin, double end, double last) {
  begun_.reset(), quiet_.reset();
  if (end - begin < options_.minimum_speech) return std::nullopt;
  const picture::span_of_time found{std::max(after_last_, begin - options_.padding),
                                    std::min(last, end + options_.padding)};
  after_last_ = found.end;
  return found;
}

std::optional<picture::span_of_time> interval_finder::push(double probability) {
  const double at = now_;
  now_ += step_;
  if (probability >= options_.threshold) {
    quiet_.reset();
    if (!begun_) begun_ = at;
  }
  if (!begun_ || probability >= options_.threshold - options_.hysteresis) return std::nullopt;
  if (!quiet_) quiet_ = at;
  if (at - *quiet_ < options_.minimum_silence) return std::nullopt;
  return closed(*begun_, *quiet_, now_);
}

std::optional<picture::span_of_time> interval_finder::finish(double seconds) {
  if (!begun_) return std::nullopt;
  return closed(*begun_, quiet_.value_or(seconds), seconds);
}

} // namespace voice_activity_program
