#include <fovea/runtime/describe/profile.hpp>

#include <fovea/backends/machine_limits.hpp>
#include <fovea/runtime/describe/table.hpp>

#include <algorithm>
#include <iomanip>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>

namespace fovea::core {
namespace {

/// See profiled_step::of_limit. Values lie in the cache that holds those of the step, parameters in that which holds
/// all; of tables few rows are read.
double share_of_limit(const step_sum& step, const net_sum& net, machine_limits& machine) {
  const auto times = static_cast<double>(step.times);
  const bool is_table = step.kernel.starts_with("gather");
  const double held = is_table ? step.parameter_bytes / times : net.parameter_bytes;
  const double reads = step.parameter_bytes / machine.bandwidth(held) +
                       step.value_bytes / machine.bandwidth(step.value_bytes / times);
  const double computes = step.float_flops / machine.flops();
  return std::max(reads, computes) / static_cast<double>(std::max<std::int64_t>(step.nanoseconds, 1));
}

/// All steps of nets, the longest first.
std::vector<profiled_step> sorted_steps(const std::vector<net_sum>& nets, bool limits) {
  std::vector<profiled_step> all;
  double nanoseconds = 0;
  for (const net_sum& net : nets) nanoseconds += static_cast<double>(net.nanoseconds);
  std::map<std::pair<std::size_t, std::string_view>, machine_limits> measured; // by threads and set
  for (const net_sum& net : nets)
    for (const step_sum& step : net.steps) {
      profiled_step& one = all.emplace_back(profiled_step{step, net.model});
      one.share = static_cast<double>(step.nanoseconds) / std::max(nanoseconds, 1.0);
      if (limits)
        one.of_limit = share_of_limit(
            step, net, measured.try_emplace({net.threads, net.set}, net.threads, net.set).first->second);
    }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.nanoseconds > b.nanoseconds; });
  return all;
}

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

profile::profile() : sums_(sum_steps()) {}
profile::~profile() = default;

std::vector<profiled_step> profile::steps(bool limits) const {
  return sorted_steps(sums_->of_nets(), limits);
}

void profile::print(std::ostream& out) const {
  const std::vector<net_sum> nets = sums_->of_nets();
  if (nets.empty()) return;
  for (const net_sum& net : nets)
    out << net.model << ": " << detail::grouped(net.calls) << " calls, "
        << fixed(static_cast<double>(net.nanoseconds) / 1e6, 2) << " ms, " << net.threads
        << (net.threads == 1 ? " thread\n" : " threads\n");
  detail::table text({true, true, true, true, true, true, true, false, false, false, false});
  text.add({"share", "times", "mean us", "GFLOP/s", "GB/s", "of limit", "step", "computes", "kernel",
            "weights", "sizes"});
  double in_steps = 0;
  for (const profiled_step& s : sorted_steps(nets, true)) {
    in_steps += s.share;
    text.add({fixed(100 * s.share, 1) + " %", detail::grouped(s.times),
              fixed(static_cast<double>(s.nanoseconds) / 1e3 / static_cast<double>(s.times), 2),
              rate(s.flops, s.nanoseconds), rate(s.parameter_bytes + s.value_bytes, s.nanoseconds),
              s.of_limit < 0 ? "" : fixed(100 * s.of_limit, 0) + " %",
              s.step < 0 ? "" : std::to_string(s.step), (nets.size() > 1 ? s.model + ": " : "") + s.text,
              s.kernel, s.weights, s.sizes});
  }
  text.add({fixed(100 * (1 - in_steps), 1) + " %", "", "", "", "", "", "", "between steps", "", "", ""});
  text.print(out);
}

} // namespace fovea::core
