#include "window_reader.hpp"

#include <fovea/runtime/decoding/sampling.hpp>

#include <algorithm>
#include <cmath>

namespace fovea::programs {

void window_reader::begin(std::size_t rows) {
  network_.begin(rows);
  begun_ = false;
}

token_scores window_reader::step(std::span<const token_id> ids) {
  if (begun_) return network_.step(ids);
  begun_ = true;
  const auto start = static_cast<std::size_t>(std::ranges::find(ids, start_) - ids.begin());
  const token_scores scores = network_.step(ids.first(start + 1));
  const std::span<const float> next = scores.last(0);
  no_speech_ = std::exp(static_cast<double>(next[static_cast<std::size_t>(silence_)]) -
                        core::detail::log_sum_exp(next));
  return start + 1 == ids.size() ? scores : network_.step(ids.subspan(start + 1));
}

} // namespace fovea::programs
