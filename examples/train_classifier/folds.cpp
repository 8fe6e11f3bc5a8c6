#include "folds.hpp"

#include <program/text.hpp>

#include <fovea/weights/temporary_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace train_classifier {

void write_folds(const std::vector<fold_result>& folds, const arguments& a) {
  double sum = 0, squares = 0, seconds = 0;
  std::string table = "fold,steps,seconds,validation_loss,texts,right\n";
  training::facts each;
  for (const auto& [learned, marked] : folds) {
    sum += marked.percent(), squares += marked.percent() * marked.percent();
    seconds += learned.seconds;
    const std::size_t number = each.size() + 1;
    table += fmt::format("{},{},{:.1f},{:.6f},{},{}\n", number, learned.steps, learned.seconds,
                         learned.best_validation, marked.all, marked.right);
    each.emplace_back(fmt::format("fold {}", number), marked.text());
  }
  const auto count = static_cast<double>(folds.size());
  const double mean = sum / count,
               deviation = std::sqrt(std::max(0.0, (squares - sum * mean) / std::max(1.0, count - 1)));
  const std::string figure = fmt::format("{:.2f} %, deviation {:.2f}", mean, deviation);
  fovea::core::temporary_file file(a.how.out / "folds.csv");
  file.write(std::as_bytes(std::span(table)));
  file.commit();
  training::facts figures{{fmt::format("right, mean of {} folds", folds.size()), figure},
                          {"time", fmt::format("{:.1f} s", seconds)}};
  figures.insert(figures.end(), each.begin(), each.end());
  training::facts options{{"model", a.model}, {"steps", std::to_string(a.how.steps)}};
  for (auto& fact : training::machine(a.how.threads)) options.push_back(std::move(fact));
  training::write_report({.title = "train_classifier " + a.how.out.string(),
                          .figures = figures,
                          .options = options,
                          .rows = {},
                          .samples = {},
                          .pictures = {}},
                         a.how.out);
  program::print(fmt::format("{}: mean of {} folds {} in {:.1f} s\n", a.how.out.string(), folds.size(),
                             figure, seconds));
}

} // namespace train_classifier
