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
    read_[i / positions].push_back(ids[i]);
    model_.probabilities(context, probabilities_);
    std::ranges::transform(probabilities_, scores_.begin() + static_cast<std::ptrdiff_t>(i * vocabulary),
                           [](double p) { return static_cast<float>(std::log(p)); });
  }
  return {scores_.data(), contexts_.size(), positions, vocabulary};
}

void ngram_reader::rewind(std::size_t count) {
  for (std::size_t row = 0; row < read_.size(); ++row) {
    token_ids& read = read_[row];
    read.resize(read.size() - count);
    contexts_[row].clear();
    const std::size_t most = std::min(read.size(), static_cast<std::size_t>(model_.counts().config().order));
    for (const token_id id : std::span(read).last(most)) model_.extend(contexts_[row], id);
  }
}

} // namespace fovea::core
