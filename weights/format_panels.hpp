#pragma once

#include <cstddef>
#include <string>

#include <fovea/base/threads.hpp>
#include <fovea/weights/weight_format.hpp>
#include <fovea/weights/weights.hpp>

namespace fovea::core {

/// Weights [columns, depth] rounded to a format, in panels of `panel` columns (panel_layout.hpp); as they are where they are
/// stored in it. Throws fovea::error that names the parameter where a value is too large for the format, or a row too long.
packed in_format_panels(weight_format format, const weight_view& weights, std::size_t columns,
                        std::size_t depth, std::size_t panel, thread_pool& pool, const std::string& name);
/// The same of formats that have no K blocks.
packed in_format_panels_but_k(weight_format format, const weight_view& weights, std::size_t columns,
                              std::size_t depth, std::size_t panel, thread_pool& pool,
                              const std::string& name);

} // namespace fovea::core
