#include "compiled.hpp"

namespace forecast_program {

std::unique_ptr<network> open_long_range(const fovea::model_weights& weights, call_sizes most) {
  return std::make_unique<compiled_network<long_range>>(weights, most);
}

} // namespace forecast_program
