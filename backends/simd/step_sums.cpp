#include <fovea/backends/step_sums.hpp>

#include <map>
#include <mutex>
#include <tuple>

#include <fovea/backends/simd/engine.hpp>
#include <fovea/backends/simd/step_cost.hpp>
#include <fovea/backends/simd/step_text.hpp>
#include <fovea/backends/simd/step_times.hpp>

namespace fovea::core {
namespace simd {
namespace {

/// `take` comes of the threads that call nets, under the lock of all readers.
class summing_reader final : public step_sums, public times_reader {
public:
  summing_reader() { start(); }
  ~summing_reader() override { stop(); }
  summing_reader(const summing_reader&) = delete;
  summing_reader& operator=(const summing_reader&) = delete;

  void take(const net_view& net, dim_values sizes, std::span<const timed_step> steps, int) override {
    net_steps& all = nets_[{net.plan, net.threads, net.weights->kernels.set.name}];
    all.net.model = net.name;
    all.net.threads = net.threads, all.net.set = net.weights->kernels.set.name;
    all.net.parameter_bytes = 0;
    costs_.assign(static_cast<std::size_t>(net.plan->step_count), {});
    for (int i = 0; i < net.plan->step_count; i = net.after(i)) {
      const step_cost& cost = costs_[static_cast<std::size_t>(i)] = cost_of(net, i, sizes);
      all.net.parameter_bytes += static_cast<double>(cost.parameter_bytes * cost.layers);
    }
    for (const timed_step& s : steps) add(all, net, sizes, s);
  }

  /// Stopping has all nets give what they keep.
  std::vector<net_sum> of_nets() override {
    stop();
    std::vector<net_sum> all;
    for (const auto& [_, one] : nets_) {
      all.push_back(one.net);
      for (const auto& [number, sum] : one.steps) all.back().steps.push_back(sum);
    }
    start();
    return all;
  }

private:
  struct net_steps {
    net_sum net;
    std::map<int, step_sum> steps;
  };

  void add(net_steps& all, const net_view& net, dim_values sizes, const timed_step& s) {
    if (s.step == timed_step::whole_call) {
      ++all.net.calls;
      all.net.nanoseconds += s.end - s.begin;
      return;
    }
    const bool is_step = s.step != timed_step::one_position;
    if (is_step && net.plan->steps[s.step].kind == step_kind::loop_begin && !net.is_small_scan(s.step))
      return; // its steps count
    step_sum& sum = all.steps[s.step];
    if (sum.times == 0) name(sum, net, s.step);
    sum.kernel = is_step ? kernel_of(net, s.step, sizes) : "position";
    sum.sizes = (is_step ? sizes_of(net, s.step, sizes) : sizes_of_call(net, sizes)).text;
    ++sum.times;
    sum.nanoseconds += s.end - s.begin;
    if (is_step)
      add_cost(sum, costs_[static_cast<std::size_t>(s.step)], 1, multiplies_floats(net, s.step, sizes));
    else
      for (const step_cost& cost : costs_) add_cost(sum, cost, cost.passes, true);
  }
  void name(step_sum& sum, const net_view& net, int step) const {
    sum.step = step;
    sum.text = step < 0 ? "one position" : text_of(net, step).text;
    if (step >= 0 && costs_[static_cast<std::size_t>(step)].parameter_bytes > 0)
      sum.weights = core::name_of(format_of(net, step));
  }
  static void add_cost(step_sum& to, const step_cost& cost, std::int64_t passes, bool of_floats) {
    to.flops += static_cast<double>(passes * cost.flops);
    if (of_floats) to.float_flops += static_cast<double>(passes * cost.flops);
    to.parameter_bytes += static_cast<double>(passes * cost.parameter_bytes);
    to.value_bytes += static_cast<double>(passes * cost.value_bytes);
  }

  std::map<std::tuple<const plan_view*, std::size_t, const char*>, net_steps>
      nets_;                     // by threads and set, too
  std::vector<step_cost> costs_; // of the steps of the net that is read
};

} // namespace
} // namespace simd

std::unique_ptr<step_sums> sum_steps() { return std::make_unique<simd::summing_reader>(); }

} // namespace fovea::core
