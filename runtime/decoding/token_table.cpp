#include <fovea/runtime/decoding/token_table.hpp>

#include <fovea/base/error.hpp>
#include <fovea/weights/safetensors.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace fovea::core {

token_table::token_table(xt::xtensor<float, 3> scores) : scores_(std::move(scores)) {
  const auto& shape = scores_.shape();
  if (scores_.size() == 0 || shape[1] != shape[2])
    throw error("a table of tokens: expected the shape [steps, vocabulary, vocabulary]; found " +
                shape_text(shape));
}

void token_table::begin(std::size_t rows) {
  rows_ = rows;
  read_ = 0;
}

token_scores token_table::step(std::span<const token_id> ids) {
  const std::size_t steps = scores_.shape()[0], vocabulary = scores_.shape()[1];
  const std::size_t positions = ids.size() / rows_;
  next_.resize(ids.size() * vocabulary);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!std::in_range<std::size_t>(ids[i]) || static_cast<std::size_t>(ids[i]) >= vocabulary)
      throw error("a table of tokens: expected ids of 0 to " + std::to_string(vocabulary - 1) + "; found " +
                  std::to_string(ids[i]));
    const std::size_t step = std::min(read_ + i % positions, steps - 1);
    std::copy_n(&scores_(step, static_cast<std::size_t>(ids[i]), 0), vocabulary, &next_[i * vocabulary]);
  }
  read_ += positions;
  return {next_.data(), rows_, positions, vocabulary};
}

} // namespace fovea::core
