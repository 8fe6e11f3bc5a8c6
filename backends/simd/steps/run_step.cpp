#include <fovea/backends/simd/context.hpp>
#include <fovea/backends/simd/step_times.hpp>
#include <fovea/backends/simd/steps.hpp>

namespace fovea::core::simd {

namespace {

[[gnu::cold, gnu::noinline]] void run_measured(context& c, const step& s, int i,
                                               void (*run)(context&, const step&)) {
  const std::int64_t begin = step_times::now();
  run(c, s);
  c.measured->add(i, begin);
}

} // namespace

void run_step(context& c, const step& s, int i, const generated_step* code,
              void (*run)(context&, const step&)) {
  c.work = c.step_work[i];
  c.code = code + i;
  if (c.measured != nullptr) [[unlikely]]
    return run_measured(c, s, i, run);
  run(c, s);
}

} // namespace fovea::core::simd
