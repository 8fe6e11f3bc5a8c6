#pragma once

#include <fovea/runtime/ngram/ngram.hpp>
#include <fovea/weights/weights.hpp>

namespace fovea::core {

/// The log p of every token after every context of order - 1 tokens, as models/ngram.hpp wants them:
/// `log_probabilities` [vocabulary^(order - 1), vocabulary]. What is impossible (<s>, above all) has -1e30,
/// since weights are finite. Throws fovea::error where the table would take more than 2 GiB.
model_weights dense_weights(const ngram& model);

} // namespace fovea::core
