#include <fovea/runtime/ngram/dense.hpp>

#include <fovea/base/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace fovea::core {

model_weights dense_weights(const ngram& model) {
  constexpr std::size_t most = std::size_t{1} << 29; // numbers in 2 GiB
  const ngram_config& c = model.counts().config();
  const auto vocabulary = static_cast<std::size_t>(c.vocabulary);
  std::size_t contexts = 1;
  for (int i = 1; i < c.order; ++i) {
    contexts *= vocabulary;
    if (contexts * vocabulary > most)
      throw error("n-gram: a table of all contexts of " + std::to_string(c.order - 1) + " tokens out of " +
                  std::to_string(vocabulary) + " would take more than 2 GiB");
  }

  std::vector<float> table(contexts * vocabulary);
  std::vector<double> p(vocabulary);
  token_ids context(static_cast<std::size_t>(c.order) - 1);
  for (std::size_t row = 0; row < contexts; ++row) {
    std::size_t digits = row; // the latest token is the lowest
    for (auto id = context.rbegin(); id != context.rend(); ++id, digits /= vocabulary)
      *id = static_cast<token_id>(digits % vocabulary);
    model.probabilities(context, p);
    std::ranges::transform(p, table.begin() + static_cast<std::ptrdiff_t>(row * vocabulary),
                           [](double x) { return x > 0 ? static_cast<float>(std::log(x)) : -1e30f; });
  }
  return model_weights::from({{"log_probabilities", {{contexts, vocabulary}, std::move(table)}}});
}

} // namespace fovea::core
