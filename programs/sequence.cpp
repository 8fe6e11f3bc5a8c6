#include <fovea/programs/sequence.hpp>

#include <fovea/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fovea::programs {

sequence::sequence(number_network& network, std::size_t most, sink give)
    : network_(network), most_(most / network.stride() * network.stride()), give_(std::move(give)),
      early_(network.latency()) {
  if (most_ == 0)
    throw error(fmt::format("--context: expected at least {}, as many positions as a step takes; found {}",
                            network.stride(), most));
  network_.begin();
}

void sequence::take(std::span<const float> positions) {
  waiting_.insert(waiting_.end(), positions.begin(), positions.end());
  const std::size_t width = network_.input_width(), stride = network_.stride();
  std::span<const float> left = waiting_;
  while (left.size() >= stride * width) {
    const std::size_t count = std::min(left.size() / width / stride * stride, most_);
    give(network_.step(left.first(count * width)), count);
    taken_ += count;
    left = left.subspan(count * width);
  }
  waiting_.erase(waiting_.begin(), waiting_.end() - static_cast<std::ptrdiff_t>(left.size()));
}

void sequence::end(const std::string& place) {
  if (!waiting_.empty())
    throw error(fmt::format("{}: expected a multiple of {} positions, as the model takes; found {}", place,
                            network_.stride(), taken_ + waiting_.size() / network_.input_width()));
  for (std::size_t left = taken_ == 0 ? 0 : network_.latency(); left > 0;) {
    const std::size_t count = std::min(left, most_);
    give(network_.finish(count), count);
    left -= count;
  }
  taken_ = 0, early_ = network_.latency();
  network_.begin();
}

void sequence::give(std::span<const float> values, std::size_t positions) {
  // Where strides or transposed convolutions make another number of positions, so they do of the zeros.
  const std::size_t zeros = std::min(early_, positions), made = values.size() / network_.output_width();
  early_ -= zeros;
  values = values.subspan(zeros * made / positions * network_.output_width());
  if (!values.empty()) give_(values);
}

} // namespace fovea::programs
