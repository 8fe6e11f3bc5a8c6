#include <fovea/base/task_ranges.hpp>

#include <queue>
#include <utility>
#include <vector>

namespace fovea::core {

double busiest_thread(std::size_t threads, std::size_t tasks, const std::function<double(std::size_t)>& cost,
                      std::size_t together) {
  struct part {
    std::size_t next, end;
  };
  std::vector<part> parts(threads);
  for (std::size_t i = 0; i < threads; ++i)
    parts[i] = {first_of_part(tasks, threads, i), first_of_part(tasks, threads, i + 1)};
  // Who is free first takes first, of those the lowest number.
  using turn = std::pair<double, std::size_t>;
  std::priority_queue<turn, std::vector<turn>, std::greater<>> free;
  for (std::size_t i = 0; i < threads; ++i) free.push({0, i});
  double last = 0;
  while (!free.empty()) {
    auto [time, thread] = free.top();
    free.pop();
    std::size_t i = 0;
    while (i < threads && parts[(thread + i) % threads].next == parts[(thread + i) % threads].end) ++i;
    if (i == threads) continue;
    part& from = parts[(thread + i) % threads];
    for (std::size_t count = taken_at_once(from.next, from.end, together); count > 0; --count)
      time += cost(from.next++);
    last = std::max(last, time);
    free.push({time, thread});
  }
  return last;
}

} // namespace fovea::core
