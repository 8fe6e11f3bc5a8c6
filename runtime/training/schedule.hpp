#pragma once

#include <cstdint>
#include <functional>

namespace fovea::core {

/// How the rate of learning changes: the factor of each step, counted from 1. Any function of the step is
/// one; empty: always 1.
using rate_schedule = std::function<double(std::int64_t step)>;

struct step_schedule_options {
  std::int64_t every = 1; // steps
  double factor = 0.1;
};
/// Multiplied by `factor` after every so many steps.
rate_schedule step_schedule(step_schedule_options options);

struct cosine_schedule_options {
  std::int64_t total = 1, warmup = 0; // steps
  double floor = 0;                   // what it ends at
};
/// Up in a line for `warmup` steps, then down half a cosine to `floor` at step `total` (Loshchilov and Hutter
/// 2017).
rate_schedule cosine_schedule(cosine_schedule_options options);

struct linear_schedule_options {
  std::int64_t total = 1, warmup = 0;
};
/// Up in a line for `warmup` steps, then down in a line to 0 at step `total` (Devlin et al. 2019).
rate_schedule linear_schedule(linear_schedule_options options);

struct noam_schedule_options {
  double width = 512;
  std::int64_t warmup = 4000;
};
/// width^-1/2 min(step^-1/2, step warmup^-3/2) (Vaswani et al. 2017, eq. 3).
rate_schedule noam_schedule(noam_schedule_options options);

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::cosine_schedule, core::cosine_schedule_options, core::linear_schedule,
    core::linear_schedule_options, core::noam_schedule, core::noam_schedule_options, core::rate_schedule,
    core::step_schedule, core::step_schedule_options;
} // namespace fovea
