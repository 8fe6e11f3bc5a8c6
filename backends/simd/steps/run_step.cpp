#include <fovea/backends/simd/context.hpp>
#include <fovea/backends/simd/final_outputs.hpp>
#include <fovea/backends/simd/step_times.hpp>
#include <fovea/backends/simd/steps.hpp>

namespace fovea::core::simd {

namespace {

[[gnu::cold, gnu::noinline]] void run_watched(context& c, const step& s, int i,
                                              void (*run)(context&, const step&)) {
  const watched_call& by = *c.watched;
  const std::int64_t begin = by.measured == nullptr ? 0 : step_times::now();
  run(c, s);
  if (by.measured != nullptr) by.measured->add(i, begin);
  if (by.told != nullptr) by.told->after(c, i);
}

} // namespace

void context::tell(size_t tasks, task_order order, const task_costs& costs) const {
  if (watched->measured != nullptr && tasks > 0)
    watched->measured->tell_split(
        code,
        {.tasks = tasks, .shared = pool.shares(tasks, work), .together = order.together, .costs = costs});
}

void run_step(context& c, const step& s, int i, const generated_step* code,
              void (*run)(context&, const step&)) {
  if (c.left_out != nullptr && (*c.left_out)[static_cast<std::size_t>(i)]) return;
  c.work = c.step_work[i];
  c.code = code + i;
  if (c.watched != nullptr) [[unlikely]]
    return run_watched(c, s, i, run);
  run(c, s);
}

} // namespace fovea::core::simd
