#pragma once

#include <type_traits>

#include <fovea/backends/backend.hpp>
#include <fovea/backends/reference/backend.hpp>
#include <fovea/backends/simd/backend.hpp>
#include <fovea/weights/weight_format.hpp>

namespace fovea::core {

/// The backend that `compile<named>` runs a model by: the kernels where a format of weights is named, else
/// the named one itself, `reference` or another that is written.
template <class named>
using backend_of = std::conditional_t<is_weight_format<named>, simd::backend, named>;

namespace generated {

/// What fovea_add_model makes of a model for one instruction set.
using model_code = simd::generated_model;

} // namespace generated

} // namespace fovea::core
