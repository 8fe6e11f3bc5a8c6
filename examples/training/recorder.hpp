#pragma once

#include "interruption.hpp"
#include "log.hpp"
#include "options.hpp"
#include "pace.hpp"
#include "report.hpp"

#include <terminal/terminal.hpp>

#include <fovea/base/error.hpp>
#include <fovea/runtime/training/early_stopping.hpp>
#include <fovea/runtime/training/train.hpp>
#include <fovea/weights/safetensors.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace training {

/// A run as its program describes it.
struct run {
  std::string program;
  options how;
  /// What the numbers depend on, besides the steps: resuming with other values is refused.
  std::map<std::string, std::string> same;
  std::size_t tokens = 0;                       // of a step
  std::string unit = "tokens";                  // what they are, where they are something else
  std::string held_out = "validation";          // what the loss beside that of learning is of
  fovea::rank_group group = {};                 // that learns; rank 0 writes for all
  std::vector<std::filesystem::path> data = {}; // the files that are learned from, the same for all ranks

  bool writes() const { return group.rank() == 0; }
};

/// All that the numbers depend on but the steps.
std::map<std::string, std::string> identity(const run& what);

/// What learning came to.
struct outcome {
  std::vector<log_row> rows;
  double loss = 0, best_validation = 0;
  std::int64_t steps = 0;
  double seconds = 0, tokens_per_second = 0; // the run's own unit
  bool stopped_early = false;
  std::vector<double> seconds_of_step = {}; // of each rank's own part
};

/// What is written down of a run while it learns: log.csv, the progress bar, when to look at what was held
/// out, when to save, and what must be saved so that a resumed run writes the same. Each rank of a group has
/// one, and does what that of rank 0 does, but for writing.
class recorder {
public:
  using notes = std::map<std::string, std::string>;

  /// Makes the folder. Throws fovea::error where it holds a checkpoint that is not to be resumed, and where
  /// another rank has another program or other data.
  explicit recorder(const run& what);

  bool begins_anew() const { return begins_anew_; }
  /// After the checkpoint was loaded, with its notes. Throws fovea::error where it is of another run.
  void resume(std::int64_t step, const notes& saved);
  bool finished(std::int64_t step) const;
  bool evaluates_after(std::int64_t step) const;
  /// Around this rank's part of a step.
  void begin_step() { pace_.begin(); }
  void end_step() { pace_.end(); }
  /// Takes down a step; true where it is the best so far.
  bool add(const fovea::training_step& done, std::optional<double> validation);
  /// What comes after a step: whether to save, and the signal that asks to end, or 0; the same on all ranks.
  struct next {
    bool saves = false;
    int signal = 0;
  };
  next after(std::int64_t step) const;
  bool is_saved(std::int64_t step) const { return step == saved_at_; }
  /// What belongs into the checkpoint.
  notes to_save() const;
  void saved(std::int64_t step);
  /// Throws fovea::error: the problem, and which step can be gone on from.
  [[noreturn]] void fail(const std::string& problem) const;
  outcome result(std::int64_t step) const;
  /// Takes the progress bar away, says why nothing more comes, and ends the process by the signal.
  [[noreturn]] void end_by(int signal, std::int64_t step);

private:
  using clock = std::chrono::steady_clock;
  bool saves_after(std::int64_t step) const;
  double seconds() const { return before_ + std::chrono::duration<double>(clock::now() - start_).count(); }

  run what_;
  bool begins_anew_ = true;
  std::optional<csv_log> log_;
  std::unique_ptr<terminal::progress_bar> bar_;
  pace pace_;
  fovea::early_stopping stopping_;
  double loss_sum_ = 0, last_loss_ = 0, before_ = 0;
  std::int64_t loss_count_ = 0, begun_at_ = 0, saved_at_ = -1;
  clock::time_point start_ = clock::now(), saved_when_ = start_;
};

/// Learns until the steps are done, a better validation loss has not come for too long, or a signal ends it:
/// step(i) learns from batch i, evaluate() gives the loss on what was held out. The folder then has the
/// checkpoint and, as weights.safetensors, the parameters of the best validation loss.
template <class trainer, class step_function, class evaluate_function>
outcome learn(trainer& fit, const run& what, step_function step, evaluate_function evaluate) {
  recorder record(what);
  if (!record.begins_anew()) {
    const auto notes = fit.resume(what.how.checkpoint());
    record.resume(fit.steps(), notes);
  }
  const auto save = [&] {
    fit.save(what.how.checkpoint(), record.to_save());
    record.saved(fit.steps());
  };
  int signal = 0;
  {
    const interruption noted;
    while (!record.finished(fit.steps()) && signal == 0) {
      fovea::training_step done;
      try {
        record.begin_step();
        done = step(static_cast<std::uint64_t>(fit.steps()));
        record.end_step();
      } catch (const fovea::error& problem) {
        record.fail(problem.what());
      }
      std::optional<double> validation;
      if (record.evaluates_after(done.step)) validation = evaluate();
      if (record.add(done, validation) && what.writes())
        fovea::save_safetensors(what.how.best(), fit.weights().tensors(), {});
      const recorder::next next = record.after(done.step);
      if (next.saves) save();
      signal = next.signal;
    }
    if (!record.is_saved(fit.steps())) save();
  }
  if (signal != 0 && !record.finished(fit.steps())) record.end_by(signal, fit.steps());
  return record.result(fit.steps());
}

} // namespace training
