#include <fovea/runtime/ngram/reader.hpp>

#include <algorithm>
#include <cmath>

namespace fovea::core {

token_scores ngram_reader::step(std::span<const token_id> ids) {
  const auto vocabulary = static_cast<std::size_t>(model_.counts().config().vocabulary);
  const std::size_t positions = ids.size() / contexts_.size();
  probabilities_.resize(vocabulary);
  scores_.resize(ids.size() * vocabulary);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    token_ids& context = contexts_[i / positions];
    model_.extend(context, ids[i]);
    model_.probabilities(context, probabilities_);
    std::ranges::transform(probabilities_, scores_.begin() + static_cast<std::ptrdiff_t>(i * vocabulary),
                           [](double p) { return static_cast<float>(std::log(p)); });
  }
  return {scores_.data(), contexts_.size(), positions, vocabulary};
}

} // namespace fovea::core
