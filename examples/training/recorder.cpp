#include "recorder.hpp"

#include "group.hpp"
#include "sameness.hpp"

#include <program/text.hpp>

#include <fovea/base/error.hpp>
#include <fovea/runtime/training/note_numbers.hpp>

#include <fmt/format.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <utility>

namespace training {

std::map<std::string, std::string> identity(const run& what) {
  auto all = what.same;
  all["products"] = what.how.products;
  all["batch"] = std::to_string(what.how.batch);
  all["rate"] = fmt::format("{}", what.how.rate);
  all["seed"] = std::to_string(what.how.seed);
  return all;
}

recorder::recorder(const run& what) : what_(what), pace_(what.group), stopping_(what.how.patience) {
  const options& o = what_.how;
  expect_same(what_.program, what_.data, what_.group);
  if (o.out.empty()) throw fovea::error("--out: expected the name of a folder");
  if (what_.writes()) std::filesystem::create_directories(o.out);
  begins_anew_ = !std::filesystem::exists(o.checkpoint());
  what_.group.broadcast(std::as_writable_bytes(std::span(&begins_anew_, 1)));
  if (!begins_anew() && !o.resume)
    throw fovea::error(
        o.checkpoint().string() +
        ": there is a run in this folder; --resume goes on with it, another --out begins anew");
  if (!begins_anew() || !what_.writes()) return;
  if (o.resume) program::notice(what_.program, o.checkpoint().string() + ": no such file; begins anew");
  log_.emplace(o.out / "log.csv", what_.unit);
  bar_ = std::make_unique<terminal::progress_bar>("learning", "steps", static_cast<std::size_t>(o.steps));
}

void recorder::resume(std::int64_t step, const notes& saved) {
  const options& o = what_.how;
  const auto note = [&](const std::string& name) {
    const auto found = saved.find(name);
    if (found == saved.end())
      throw fovea::error(o.checkpoint().string() + ": expected a note of its " + name + ", found none");
    return found->second;
  };
  for (const auto& [name, value] : identity(what_))
    if (note("same." + name) != value)
      throw fovea::error(o.checkpoint().string() + ": is of a run with " + name + " " + note("same." + name) +
                         ", which can't go on with " + name + " " + value);
  const auto number = [&](const std::string& name, double least) {
    return fovea::core::number_in_note(saved, name, o.checkpoint().string(), least, 0x1p53);
  };
  before_ = number("seconds", 0);
  loss_sum_ = number("loss_sum", -0x1p53), last_loss_ = number("last_loss", -0x1p53);
  loss_count_ = static_cast<std::int64_t>(number("loss_count", 0));
  stopping_.take_from(saved);
  begun_at_ = saved_at_ = step;
  start_ = saved_when_ = clock::now();
  if (!what_.writes()) return;
  log_.emplace(o.out / "log.csv", what_.unit, step);
  bar_ = std::make_unique<terminal::progress_bar>("learning", "steps", static_cast<std::size_t>(o.steps),
                                                  static_cast<std::size_t>(step));
}

bool recorder::finished(std::int64_t step) const { return step >= what_.how.steps || stopping_.stop(); }

bool recorder::evaluates_after(std::int64_t step) const {
  return step % what_.how.evaluate_every == 0 || step >= what_.how.steps;
}

bool recorder::add(const fovea::training_step& done, std::optional<double> validation) {
  last_loss_ = static_cast<double>(done.loss);
  loss_sum_ += last_loss_;
  ++loss_count_;
  const double now = seconds(),
               pace = static_cast<double>(what_.tokens) * static_cast<double>(done.step) / now;
  if (validation || done.step % what_.how.log_every == 0) {
    log_row row{.step = done.step,
                .loss = loss_sum_ / static_cast<double>(loss_count_),
                .gradient_norm = done.gradient_norm,
                .rate = done.rate,
                .tokens_per_second = pace,
                .seconds = now};
    if (validation) row.validation = *validation;
    if (log_) log_->add(row);
    loss_sum_ = 0, loss_count_ = 0;
  }
  if (bar_)
    bar_->show(static_cast<std::size_t>(done.step),
               fmt::format("loss {:.3f}, {:.0f} {}/s,", last_loss_, pace, what_.unit));
  return validation && stopping_.improved(*validation);
}

bool recorder::saves_after(std::int64_t step) const {
  const options& o = what_.how;
  const double since = std::chrono::duration<double>(clock::now() - saved_when_).count();
  return (o.save_every > 0 && step % o.save_every == 0) || (o.save_seconds > 0 && since >= o.save_seconds);
}

recorder::next recorder::after(std::int64_t step) const {
  next now{.saves = what_.writes() && saves_after(step), .signal = interruption::signal()};
  std::array<float, 2> told{now.saves ? 1.0f : 0.0f, now.signal != 0 ? 1.0f : 0.0f};
  what_.group.sum(told);
  if (now.signal == 0 && told[1] > 0) now.signal = SIGTERM;
  now.saves = told[0] > 0;
  return now;
}

recorder::notes recorder::to_save() const {
  notes all{{"seconds", fovea::core::exact_text(seconds())},
            {"loss_sum", fovea::core::exact_text(loss_sum_)},
            {"last_loss", fovea::core::exact_text(last_loss_)},
            {"loss_count", std::to_string(loss_count_)}};
  for (const auto& [name, value] : identity(what_)) all["same." + name] = value;
  stopping_.keep_in(all);
  return all;
}

void recorder::saved(std::int64_t step) {
  saved_at_ = step;
  saved_when_ = clock::now();
}

void recorder::fail(const std::string& problem) const {
  throw fovea::error(problem + (saved_at_ < 0 ? ""
                                              : "; " + what_.how.checkpoint().string() + " is of step " +
                                                    std::to_string(saved_at_)));
}

outcome recorder::result(std::int64_t step) const {
  const double spent = seconds();
  return {.rows = log_ ? log_->rows() : std::vector<log_row>{},
          .loss = last_loss_,
          .best_validation = stopping_.best(),
          .steps = step,
          .seconds = spent,
          .tokens_per_second = static_cast<double>(what_.tokens) * static_cast<double>(step) / spent,
          .stopped_early = stopping_.stop(),
          .seconds_of_step = told_by_each(pace_.seconds_of_step(), what_.group)};
}

void recorder::end_by(int signal, std::int64_t step) {
  bar_.reset();
  if (what_.writes())
    program::notice(what_.program, fmt::format("stopped after step {}; --resume goes on from {}", step,
                                               what_.how.checkpoint().string()));
  // Whoever waits for this process sees what ended it.
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  std::abort();
}

} // namespace training
