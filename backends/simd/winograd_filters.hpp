#pragma once

#include <vector>

#include <fovea/backends/simd/kernels/winograd_points.hpp>

namespace fovea::core::simd {

/// What kernels/winograd.hpp multiplies tiles by: [products, out, stride * stride * in] of filters [out, size,
/// size, in], whose taps on both axes come last first where they are `backward`. Computed in double.
std::vector<float> winograd_filters(const std::vector<float>& filters, std::size_t out, std::size_t in,
                                    std::size_t size, std::size_t stride, bool backward);

/// The same for kernels/winograd_time.hpp: [seen, out, in] of filters [out, taps, in].
std::vector<float> winograd_time_filters(const std::vector<float>& filters, std::size_t out, std::size_t in,
                                         std::size_t taps);

} // namespace fovea::core::simd
