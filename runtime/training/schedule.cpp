#include <fovea/runtime/training/schedule.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fovea::core {

namespace {

double share(std::int64_t part, std::int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(std::max<std::int64_t>(whole, 1));
}

} // namespace

rate_schedule step_schedule(step_schedule_options o) {
  return [o](std::int64_t step) {
    return std::pow(o.factor, static_cast<double>((step - 1) / std::max<std::int64_t>(o.every, 1)));
  };
}

rate_schedule cosine_schedule(cosine_schedule_options o) {
  return [o](std::int64_t step) {
    if (step < o.warmup) return share(step, o.warmup);
    const double done = std::min(1.0, share(step - o.warmup, o.total - o.warmup));
    return o.floor + (1 - o.floor) / 2 * (1 + std::cos(std::numbers::pi * done));
  };
}

rate_schedule linear_schedule(linear_schedule_options o) {
  return [o](std::int64_t step) {
    if (step < o.warmup) return share(step, o.warmup);
    return std::max(0.0, share(o.total - step, o.total - o.warmup));
  };
}

rate_schedule noam_schedule(noam_schedule_options o) {
  return [o](std::int64_t step) {
    const auto s = static_cast<double>(step), warmup = static_cast<double>(o.warmup);
    return std::min(1 / std::sqrt(s), s / (warmup * std::sqrt(warmup))) / std::sqrt(o.width);
  };
}

} // namespace fovea::core
