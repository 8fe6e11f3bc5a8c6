#include "split.hpp"

#include <fovea/base/error.hpp>
#include <fovea/runtime/training/shuffle.hpp>

#include <string>

namespace train_classifier {

split split_of(std::size_t count, std::size_t fold, std::size_t folds, double validation,
               std::uint64_t seed) {
  split made;
  const std::vector<std::size_t> order = fovea::shuffled(count, seed);
  for (std::size_t i = 0; i < count; ++i)
    (folds > 0 && i % folds == fold ? made.test : made.learned).push_back(order[i]);
  const auto kept = static_cast<std::ptrdiff_t>((1 - validation) * static_cast<double>(made.learned.size()));
  made.held_out.assign(made.learned.begin() + kept, made.learned.end());
  made.learned.resize(static_cast<std::size_t>(kept));
  if (made.learned.empty() || made.held_out.empty() || (folds > 0 && made.test.empty()))
    throw fovea::error("expected more texts to hold some out; found " + std::to_string(count));
  return made;
}

} // namespace train_classifier
