#include "finish.hpp"

#include <program/text.hpp>

#include <fmt/format.h>

namespace training {

void finish(const run& what, const outcome& result, const facts& figures,
            const std::vector<std::string>& samples, const std::vector<std::filesystem::path>& pictures) {
  if (!what.writes()) return;
  const options& o = what.how;
  facts all{{"validation loss, the best", fmt::format("{:.4f}", result.best_validation)},
            {"loss of the last step", fmt::format("{:.4f}", result.loss)},
            {"steps", fmt::format("{}{}", result.steps, result.stopped_early ? ", stopped early" : "")},
            {"time", fmt::format("{:.1f} s", result.seconds)},
            {what.unit + " a second", fmt::format("{:.0f}", result.tokens_per_second)}};
  all.insert(all.begin(), figures.begin(), figures.end());
  facts options{{"steps", std::to_string(o.steps)}};
  for (const auto& fact : identity(what)) options.push_back(fact);
  for (auto& fact : machine(o.threads)) options.push_back(std::move(fact));
  write_report({.title = what.program + " " + o.out.string(),
                .figures = all,
                .options = options,
                .rows = result.rows,
                .samples = samples,
                .pictures = pictures},
               o.out);
  program::print(fmt::format("{}: {} steps{} in {:.1f} s, {:.0f} {} a second\nvalidation loss {:.4f}, "
                             "loss of the last step {:.4f}\n",
                             o.out.string(), result.steps, result.stopped_early ? ", stopped early," : "",
                             result.seconds, result.tokens_per_second, what.unit, result.best_validation,
                             result.loss));
  for (const auto& [name, value] : figures) program::print(fmt::format("{} {}\n", name, value));
  for (const std::string& sample : samples) program::print(sample + "\n");
}

} // namespace training
