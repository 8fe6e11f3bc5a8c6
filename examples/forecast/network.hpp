#pragma once

#include <fovea/models/patchtst.hpp>

namespace forecast_program {

/// The networks that the programs are compiled for: PatchTST that reads 96 steps and forecasts 24, and that reads 336
/// and forecasts 96. The sizes of the second are the paper's for small data sets, PatchTST/42 (Nie et al. 2023,
/// appendix A.1), whose last patch ends with the series here, without padding.
inline constexpr fovea::models::patchtst_config short_range{
    .layers = 2, .heads = 4, .width = 32, .inner = 64, .context = 96, .horizon = 24, .patch = 8, .stride = 4};
inline constexpr fovea::models::patchtst_config long_range{.layers = 3,
                                                           .heads = 4,
                                                           .width = 16,
                                                           .inner = 128,
                                                           .context = 336,
                                                           .horizon = 96,
                                                           .patch = 16,
                                                           .stride = 8};

} // namespace forecast_program
