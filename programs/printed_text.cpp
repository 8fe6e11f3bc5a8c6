#include <fovea/programs/printed_text.hpp>

#include <algorithm>

namespace fovea::programs {
namespace {

/// How many characters at the end of `text` begin the string.
std::size_t begun(std::string_view text, std::string_view string) {
  for (std::size_t size = std::min(text.size(), string.size() - 1); size > 0; --size)
    if (text.ends_with(string.substr(0, size))) return size;
  return 0;
}

} // namespace

bool printed_text::take(const std::string& piece) {
  if (stopped_) return false;
  held_ += piece;
  std::size_t end = std::string::npos, longest = 0;
  for (const std::string& stop : stops_) {
    end = std::min(end, held_.find(stop));
    longest = std::max(longest, begun(held_, stop));
  }
  stopped_ = end != std::string::npos;
  const std::size_t ready = stopped_ ? end : held_.size() - longest;
  print_(std::string_view(held_).substr(0, ready));
  held_.erase(0, stopped_ ? held_.size() : ready);
  return !stopped_;
}

void printed_text::finish() {
  if (take(spelled_.finish())) print_(held_);
  held_.clear();
}

} // namespace fovea::programs
