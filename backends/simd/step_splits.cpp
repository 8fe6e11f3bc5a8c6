#include <fovea/backends/step_splits.hpp>

#include <map>
#include <mutex>
#include <utility>

#include <fovea/backends/simd/engine.hpp>
#include <fovea/backends/simd/step_cost.hpp>
#include <fovea/backends/simd/step_text.hpp>
#include <fovea/backends/simd/step_times.hpp>
#include <fovea/base/task_ranges.hpp>

namespace fovea::core {
namespace simd {
namespace {

/// What a step costs in one pass, as work_of estimates it, but from the bytes that explanations tell.
double nanoseconds_of(const net_view& net, const step_cost& cost) {
  const auto lanes = static_cast<double>(net.weights->kernels.set.vector);
  return (static_cast<double>(cost.flops) / (2 * multiply_adds_of_element) +
          static_cast<double>(cost.bytes()) / sizeof(float)) /
         lanes;
}

/// `take_split` comes before `take`, of the threads that call nets, both under the lock of all readers.
class splitting_reader final : public step_splits, public times_reader {
public:
  splitting_reader() { start(); }
  ~splitting_reader() override { stop(); }
  splitting_reader(const splitting_reader&) = delete;
  splitting_reader& operator=(const splitting_reader&) = delete;

  void take_split(const net_view& net, dim_values, const told_split& split) override {
    handed& all = nets_[{net.plan, net.threads}].handed_out[split.step];
    double cost = 0;
    const auto of_task = [&](std::size_t i) {
      return split.costs.each == nullptr ? 1.0 : split.costs.each(split.costs.args, i);
    };
    for (std::size_t i = 0; i < split.tasks; ++i) cost += of_task(i);
    const double last =
        split.shared ? busiest_thread(net.threads, split.tasks, of_task, split.together) : cost;
    all.cost += split.costs.all;
    all.busiest += cost == 0 ? 0 : split.costs.all * last / cost;
    if (split.costs.all >= all.most) all.most = split.costs.all, all.tasks = split.tasks;
  }

  void take(const net_view& net, dim_values sizes, std::span<const timed_step> steps, int) override {
    net_handed& all = nets_[{net.plan, net.threads}];
    all.splits.model = net.name, all.splits.threads = net.threads;
    for (const timed_step& s : steps) {
      if (s.step == timed_step::whole_call) ++all.splits.calls;
      const auto found = all.handed_out.find(s.step);
      if (found == all.handed_out.end())
        continue; // it hands nothing out: its value lies there already, or is small
      step_split& one = all.steps[s.step];
      if (one.times++ == 0) one.step = s.step, one.text = text_of(net, s.step).text;
      one.kernel = kernel_of(net, s.step, sizes);
      one.sizes = sizes_of(net, s.step, sizes).text;
      one.tasks = found->second.tasks;
      const double cost = nanoseconds_of(net, cost_of(net, s.step, sizes));
      one.cost += cost;
      one.busiest += cost * found->second.busiest / found->second.cost;
    }
  }

  /// Stopping has all nets give what they keep.
  std::vector<net_splits> of_nets() override {
    stop();
    std::vector<net_splits> all;
    for (const auto& [_, one] : nets_) {
      all.push_back(one.splits);
      for (const auto& [number, split] : one.steps) all.back().steps.push_back(split);
    }
    start();
    return all;
  }

private:
  /// What a step has handed out, by its own measure.
  struct handed {
    double cost = 0, busiest = 0, most = 0;
    std::size_t tasks = 0; // of what cost most
  };
  struct net_handed {
    net_splits splits;
    std::map<int, handed> handed_out;
    std::map<int, step_split> steps;
  };

  std::map<std::pair<const plan_view*, std::size_t>, net_handed> nets_; // by threads, too
};

} // namespace
} // namespace simd

std::unique_ptr<step_splits> split_steps() { return std::make_unique<simd::splitting_reader>(); }

} // namespace fovea::core
