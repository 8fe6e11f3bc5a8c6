#pragma once

#include "options.hpp"

#include <fovea/runtime/training/train.hpp>

namespace training {

/// As fovea::train, by the products of the user's choice.
template <class M, class optimizer>
auto fit(const options& o, const M& model, const optimizer& how, const fovea::model_weights& weights,
         const fovea::train_options& options) {
  return o.products == "bf16" ? fovea::train<fovea::bf16_products>(model, how, weights, options)
                              : fovea::train(model, how, weights, options);
}

} // namespace training
