#pragma once

#include <cstddef>
#include <string>

#include <fovea/backends/simd/kernels/table.hpp>
#include <fovea/base/threads.hpp>
#include <fovea/weights/weight_format.hpp>
#include <fovea/weights/weights.hpp>

namespace fovea::core::simd {

/// Weights [columns, depth] rounded to a format other than f32, in panels (kernels/panel_layout.hpp); as they
/// are where they are stored in it. Throws fovea::error that names the parameter where a value is too large
/// for the format, or a row too long.
packed in_format_panels(weight_format format, const weight_view& weights, size_t columns, size_t depth,
                        const kernel_table& kernels, thread_pool& pool, const std::string& name);

} // namespace fovea::core::simd
