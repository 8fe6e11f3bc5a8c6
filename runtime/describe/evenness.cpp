#include <fovea/runtime/describe/evenness.hpp>

#include <fovea/runtime/describe/table.hpp>

#include <iomanip>
#include <sstream>
#include <string>

namespace fovea::core {
namespace {

double share_of(double cost, double busiest, std::size_t threads) {
  return busiest > 0 ? cost / (static_cast<double>(threads) * busiest) : 1;
}

std::string two_digits(double number) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(2) << number;
  return text.str();
}

} // namespace

evenness::evenness() : splits_(split_steps()) {}
evenness::~evenness() = default;

std::vector<shared_step> evenness::steps() const {
  std::vector<shared_step> all;
  for (const net_splits& net : splits_->of_nets())
    for (const step_split& step : net.steps)
      all.push_back({step, net.model, net.threads, share_of(step.cost, step.busiest, net.threads)});
  return all;
}

double evenness::of_all() const {
  double cost = 0, taken = 0;
  for (const shared_step& step : steps())
    cost += step.cost, taken += static_cast<double>(step.threads) * step.busiest;
  return taken > 0 ? cost / taken : 1;
}

void evenness::print(std::ostream& out) const {
  const std::vector<shared_step> all = steps();
  if (all.empty()) return;
  double cost = 0;
  for (const shared_step& step : all) cost += step.cost;
  detail::table text({true, true, true, true, true, false, false, false});
  text.add({"share", "threads", "tasks", "even", "step", "computes", "kernel", "sizes"});
  for (const shared_step& s : all)
    text.add({two_digits(100 * s.cost / cost) + " %", std::to_string(s.threads), std::to_string(s.tasks),
              two_digits(s.even), std::to_string(s.step), s.text, s.kernel, s.sizes});
  text.print(out);
}

} // namespace fovea::core
