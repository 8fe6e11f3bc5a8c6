#include "finish.hpp"

#include <program/text.hpp>

#include <fmt/format.h>

#include <utility>

namespace training {
namespace {

/// What each of several ranks took for its part of a step, and which one is slow.
facts facts_of_ranks(const std::vector<double>& seconds) {
  if (seconds.size() < 2) return {};
  facts all{{"ranks", std::to_string(seconds.size())}};
  for (std::size_t r = 0; r < seconds.size(); ++r)
    all.emplace_back(fmt::format("a step of rank {}, without waiting", r),
                     fmt::format("{:.2f} ms", 1e3 * seconds[r]));
  if (const auto slow = slow_rank(seconds)) all.emplace_back("slow", *slow);
  return all;
}

} // namespace

void finish(const run& what, const outcome& result, const facts& figures,
            const std::vector<std::string>& samples, const std::vector<std::filesystem::path>& pictures) {
  if (!what.writes()) return;
  const options& o = what.how;
  facts all{{what.held_out + " loss, the best", fmt::format("{:.4f}", result.best_validation)},
            {"loss of the last step", fmt::format("{:.4f}", result.loss)},
            {"steps", fmt::format("{}{}", result.steps, result.stopped_early ? ", stopped early" : "")},
            {"time", fmt::format("{:.1f} s", result.seconds)},
            {what.unit + " a second", fmt::format("{:.0f}", result.tokens_per_second)}};
  all.insert(all.begin(), figures.begin(), figures.end());
  for (auto& fact : facts_of_ranks(result.seconds_of_step)) all.push_back(std::move(fact));
  facts options{{"steps", std::to_string(o.steps)}};
  for (const auto& fact : identity(what)) options.push_back(fact);
  for (auto& fact : machine(o.threads)) options.push_back(std::move(fact));
  write_report({.title = what.program + " " + o.out.string(),
                .held_out = what.held_out,
                .figures = all,
                .options = options,
                .rows = result.rows,
                .samples = samples,
                .pictures = pictures},
               o.out);
  program::print(fmt::format("{}: {} steps{} in {:.1f} s, {:.0f} {} a second\n{} loss {:.4f}, "
                             "loss of the last step {:.4f}\n",
                             o.out.string(), result.steps, result.stopped_early ? ", stopped early," : "",
                             result.seconds, result.tokens_per_second, what.unit, what.held_out,
                             result.best_validation, result.loss));
  if (const auto slow = slow_rank(result.seconds_of_step)) program::print(*slow + "\n");
  for (const auto& [name, value] : figures) program::print(fmt::format("{} {}\n", name, value));
  for (const std::string& sample : samples) program::print(sample + "\n");
}

} // namespace training
