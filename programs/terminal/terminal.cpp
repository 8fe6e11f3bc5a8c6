#include "terminal.hpp"

#include <fovea/base/system/terminal.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace terminal {

std::size_t columns_of(std::FILE* stream) {
  const std::size_t columns = fovea::core::system::columns_of(stream);
  return columns == 0 ? 80 : columns;
}

progress_bar::progress_bar(std::string doing, std::string things, std::size_t total, std::size_t begun)
    : doing_(std::move(doing)), things_(std::move(things)), total_(total), begun_(begun),
      terminal_(fovea::core::system::is_terminal(stderr)) {}

progress_bar::~progress_bar() {
  if (shown_ != clock::time_point{}) fmt::print(stderr, "\r\033[K");
}

void progress_bar::show(std::size_t done, const std::string& note) {
  constexpr std::chrono::milliseconds pause(100);
  if (!terminal_ || total_ == 0 || clock::now() - shown_ < pause) return;
  shown_ = clock::now();
  const double share = static_cast<double>(done) / static_cast<double>(total_);
  const double spent = std::chrono::duration<double>(shown_ - started_).count();
  const double left = done <= begun_ ? 0.0
                                     : spent * static_cast<double>(total_ - std::min(done, total_)) /
                                           static_cast<double>(done - begun_);
  const std::string numbers =
      fmt::format(" {}/{} {},{}{} {:.0f} s left", done, total_, things_, note.empty() ? "" : " ", note, left);
  const std::size_t taken = numbers.size() + doing_.size() + sizeof " []";
  const std::size_t width = std::min<std::size_t>(40, std::max(taken + 10, columns_of(stderr)) - taken);
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(width));
  fmt::print(stderr, "\r{} [{}{}]{}\033[K", doing_, std::string(filled, '='),
             std::string(width - filled, ' '), numbers);
  std::fflush(stderr);
}

} // namespace terminal
