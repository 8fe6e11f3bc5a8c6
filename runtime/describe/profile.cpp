#include <fovea/runtime/describe/profile.hpp>

#include <fovea/backends/simd/engine.hpp>
#include <fovea/backends/simd/step_cost.hpp>
#include <fovea/backends/simd/step_text.hpp>
#include <fovea/backends/simd/step_times.hpp>
#include <fovea/runtime/describe/machine_limits.hpp>
#include <fovea/runtime/describe/table.hpp>

#include <algorithm>
#include <iomanip>
#include <map>
#include <mutex>
#include <sstream>
#include <tuple>

namespace fovea::core {

using simd::timed_step;

/// The sums of each step, under the lock of its own: `take` comes of the threads that call nets.
class profile::reader final : public simd::times_reader {
public:
  reader() { start(); }
  ~reader() override { stop(); }
  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;

  struct sums {
    profiled_step shown;
    double parameter_bytes = 0, value_bytes = 0;
    bool is_float = true; // all that it multiplies
  };
  /// What all steps of a net have in common.
  struct net_sums {
    std::size_t lanes = 4, threads = 1;
    double parameter_bytes = 0; // of all that a call reads, again and again
    std::int64_t calls = 0, nanoseconds = 0;
    std::map<int, sums> steps;
  };
  using key = std::tuple<const plan_view*, std::size_t, const char*>; // with threads and set

  void take(const simd::net_view& net, simd::dim_values sizes, std::span<const timed_step> steps,
            int) override {
    const std::lock_guard reads(reading_);
    net_sums& all = nets_[{net.plan, net.threads, net.weights->kernels.set.name}];
    all.lanes = net.weights->kernels.set.vector, all.threads = net.threads;
    costs_.assign(static_cast<std::size_t>(net.plan->step_count) + 1, {});
    all.parameter_bytes = 0;
    for (int i = 0; i < net.plan->step_count; ++i) {
      costs_[static_cast<std::size_t>(i)] = simd::cost_of(net, i, sizes);
      const simd::step_cost& cost = costs_[static_cast<std::size_t>(i)];
      all.parameter_bytes += static_cast<double>(cost.parameter_bytes * cost.layers);
    }
    for (const timed_step& s : steps) add(all, net, sizes, s);
  }

  /// Gives f each net.
  template <class F>
  void each_net(F f) const {
    const std::lock_guard reads(reading_);
    for (const auto& [_, net] : nets_) f(net);
  }
  /// Has all nets give what they keep.
  void catch_up() {
    stop();
    start();
  }

private:
  void add(net_sums& all, const simd::net_view& net, simd::dim_values sizes, const timed_step& s) {
    if (s.step == timed_step::whole_call) {
      ++all.calls;
      all.nanoseconds += s.end - s.begin;
      return;
    }
    if (s.step >= 0 && net.plan->steps[s.step].kind == step_kind::loop_begin && !net.is_small_scan(s.step))
      return; // its steps count
    sums& one = all.steps[s.step];
    profiled_step& shown = one.shown;
    if (shown.times == 0) name(one, net, s.step);
    shown.sizes =
        s.step >= 0 ? simd::sizes_of(net, s.step, sizes).text : simd::sizes_of_call(net, sizes).text;
    ++shown.times;
    shown.nanoseconds += s.end - s.begin;
    if (s.step >= 0)
      add_cost(one, costs_[static_cast<std::size_t>(s.step)], 1);
    else
      for (const simd::step_cost& cost : costs_) add_cost(one, cost, cost.passes);
  }
  static void name(sums& one, const simd::net_view& net, int step) {
    one.shown.model = net.name;
    one.shown.step = step;
    if (step < 0) {
      one.shown.text = "one position", one.shown.kernel = "position";
      return;
    }
    one.shown.text = simd::text_of(net, step).text;
    one.shown.kernel = simd::kernel_of(net, step);
    const weight_format format = simd::format_of(net, step);
    if (simd::cost_of(net, step, std::vector<std::int64_t>(net.graph->dim_numbers.size(), 1))
            .parameter_bytes > 0)
      one.shown.weights = name_of(format);
    one.is_float = !rounds_rows(format);
  }
  static void add_cost(sums& to, const simd::step_cost& cost, std::int64_t passes) {
    const auto count = static_cast<double>(passes);
    to.shown.flops += count * static_cast<double>(cost.flops);
    to.shown.bytes += count * static_cast<double>(cost.bytes());
    to.parameter_bytes += count * static_cast<double>(cost.parameter_bytes);
    to.value_bytes += count * static_cast<double>(cost.value_bytes);
  }

  mutable std::mutex reading_;
  std::map<key, net_sums> nets_;
  std::vector<simd::step_cost> costs_; // of the steps of the net that is read
};

profile::profile() : reader_(std::make_unique<reader>()) {}
profile::~profile() = default;

std::vector<profiled_step> profile::steps(bool limits) const {
  reader_->catch_up();
  std::vector<profiled_step> all;
  std::int64_t nanoseconds = 0;
  std::map<std::tuple<std::size_t, std::size_t>, machine_limits> measured; // by threads and lanes
  reader_->each_net([&](const reader::net_sums& net) {
    nanoseconds += net.nanoseconds;
    for (const auto& [_, one] : net.steps) {
      all.push_back(one.shown);
      if (!limits) continue;
      machine_limits& machine =
          measured.try_emplace({net.threads, net.lanes}, net.threads, net.lanes).first->second;
      // Values lie in the cache that holds those of the step, parameters in that which holds all.
      const auto times = static_cast<double>(one.shown.times);
      const double reads = one.parameter_bytes / machine.bandwidth(net.parameter_bytes) +
                           one.value_bytes / machine.bandwidth(one.value_bytes / times);
      const double computes = one.is_float ? one.shown.flops / machine.flops() : 0;
      all.back().of_limit = std::max(reads, computes) / static_cast<double>(one.shown.nanoseconds);
    }
  });
  for (profiled_step& one : all)
    one.share =
        static_cast<double>(one.nanoseconds) / static_cast<double>(std::max<std::int64_t>(nanoseconds, 1));
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.nanoseconds > b.nanoseconds; });
  return all;
}

namespace {

std::string fixed(double number, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << number;
  return text.str();
}

/// Of something in a nanosecond: billions in a second.
std::string rate(double count, std::int64_t nanoseconds) {
  return count == 0 ? "" : fixed(count / static_cast<double>(std::max<std::int64_t>(nanoseconds, 1)), 1);
}

} // namespace

void profile::print(std::ostream& out) const {
  const std::vector<profiled_step> all = steps();
  if (all.empty()) return;
  std::size_t nets = 0;
  reader_->each_net([&](const reader::net_sums& net) {
    ++nets;
    out << net.steps.begin()->second.shown.model << ": " << detail::grouped(net.calls) << " calls, "
        << fixed(static_cast<double>(net.nanoseconds) / 1e6, 2) << " ms, " << net.threads
        << (net.threads == 1 ? " thread\n" : " threads\n");
  });
  detail::table text({true, true, true, true, true, true, true, false, false, false, false});
  text.add({"share", "times", "mean us", "GFLOP/s", "GB/s", "of limit", "step", "computes", "kernel",
            "weights", "sizes"});
  double in_steps = 0;
  for (const profiled_step& s : all) {
    in_steps += s.share;
    text.add({fixed(100 * s.share, 1) + " %", detail::grouped(s.times),
              fixed(static_cast<double>(s.nanoseconds) / 1e3 / static_cast<double>(s.times), 2),
              rate(s.flops, s.nanoseconds), rate(s.bytes, s.nanoseconds),
              s.of_limit < 0 ? "" : fixed(100 * s.of_limit, 0) + " %",
              s.step < 0 ? "" : std::to_string(s.step), (nets > 1 ? s.model + ": " : "") + s.text, s.kernel,
              s.weights, s.sizes});
  }
  text.add({fixed(100 * (1 - in_steps), 1) + " %", "", "", "", "", "", "", "between steps", "", "", ""});
  text.print(out);
}

} // namespace fovea::core
