#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fovea/base/threads.hpp>
#include <fovea/runtime/options.hpp>
#include <fovea/runtime/training/learned_parameters.hpp>
#include <fovea/runtime/training/meeting.hpp>
#include <fovea/runtime/training/optimizer.hpp>
#include <fovea/runtime/training/rank_group.hpp>
#include <fovea/runtime/training/schedule.hpp>

namespace fovea::core {

/// Parameters that learn in a way of their own: those whose name `names` matches, where `*` stands for any
/// text ("*.bias", "h.0.*"). The first group that matches a parameter counts.
struct parameter_group {
  std::string names;
  double rate = 1;          // times the optimizer's; 0: they stay as they are, without gradients
  double weight_decay = -1; // instead of the optimizer's; below 0: the optimizer's
};

struct train_options {
  std::vector<dim_size> capacity = {};
  core::regime regime = core::regime::automatic;
  int threads = 0;
  rate_schedule schedule = {}; // of the rate; none: constant
  double clip = 0;             // the largest norm of all gradients together (Pascanu et al. 2013); 0: any
  int accumulate = 1;          // calls of `step` whose mean gradient makes one update
  std::vector<parameter_group> groups = {};
  std::uint64_t seed = 0; // of dropout
  /// The largest each gradient may be, either way, before their norm is clipped; 0: any. Of calls that are
  /// accumulated it is that of their mean.
  double clip_value = 0;
  /// Ranks that learn together, each from its share of every batch: the update is that of the mean of their
  /// losses. Each share has as many rows, the first axis of the model's first input. None: one learns alone.
  rank_group group = {};
};

/// What a step of training did.
struct training_step {
  std::int64_t step = 0; // updates so far
  float loss = 0;        // before the update; the mean over the ranks of a group
  double gradient_norm = 0, rate = 0;
  bool updated = true; // false while gradients are being accumulated
};

namespace detail {

/// The part of training that knows no model: gradients to updates.
class learner {
public:
  /// Meets the other ranks. Throws fovea::error where one has another model, other options or other weights.
  learner(learned_parameters& parameters, graph_view graph, const train_options& options, double rate);

  /// How far training has come: updates, and the calls of the next one with their losses and gradients.
  struct progress {
    std::int64_t step = 0;
    int pending = 0;
    double pending_loss = 0;
    std::vector<buffer> sums = {}; // of each parameter
  };

  std::int64_t step() const { return now_.step; }
  const meeting& ranks() const { return ranks_; }

  /// Adds what it keeps to the state, has `gather` add what each rank has its part of, and has all written, by
  /// rank 0 of a group. Throws fovea::error on each rank where it cannot be written, or where it would hold
  /// what only one rank has: what is accumulated.
  void save(training_state& to, const file_path& path, const std::function<void()>& gather,
            const std::function<void()>& write) const;
  /// What was saved, has_gradient(p) telling whether calls give a parameter a gradient. Throws fovea::error
  /// that names the checkpoint where it does not fit.
  progress saved(const training_state& from, const file_path& path,
                 const std::function<bool(int)>& has_gradient) const;
  void resume(progress from) { now_ = std::move(from); }
  /// Throws fovea::error on each rank where one has read another checkpoint than rank 0.
  void expect_same_checkpoint() const;
  /// How many calls went before, those of the update that is being accumulated among them.
  std::uint64_t calls() const {
    return static_cast<std::uint64_t>(now_.step) * static_cast<std::uint64_t>(accumulate_) +
           static_cast<std::uint64_t>(now_.pending);
  }

  /// Takes the gradients of one call of so many rows: gradients[p] of each parameter, null where it has none.
  /// `update` is called with the optimizer's part of each parameter, and has a backend's `apply`. Throws
  /// fovea::error where the loss, a gradient or the rate is not finite, parameters and what is accumulated
  /// being as they were; on each rank of a group where that is so on one.
  template <class optimizer>
  training_step learn(const optimizer& how, float loss, std::int64_t rows,
                      std::vector<const float*>& gradients, thread_pool& pool,
                      void (&apply)(const optimizer_args&)) {
    for (std::size_t p = 0; p < gradients.size(); ++p)
      if (groups_[p].rate == 0) gradients[p] = nullptr; // what stays as it is has no part in the norm
    double norm = norm_of(gradients, pool), rate = 1;
    ranks_.attempt(occasion::step, [&] {
      check_finite(loss, norm, gradients);
      if (schedule_) rate = schedule_(now_.step + 1);
      check_rate(how.rate * rate);
    });
    loss = mean_loss(loss, rows, how.rate * rate);
    if (accumulate_ > 1 && !accumulate(loss, gradients, pool)) return {now_.step, loss, 0, 0, false};
    sum_over_ranks(gradients, pool);
    if (parts() > 1) norm = norm_of(gradients, pool) / parts();
    if (clip_value_ > 0) {
      clip_values(gradients, pool);
      norm = norm_of(gradients, pool) / parts();
    }
    const double factor = clip_ > 0 ? std::min(1.0, clip_ / (norm + 1e-6)) : 1;
    ++now_.step;
    for (int p = 0; p < parameters_.count(); ++p) {
      const parameter_group& group = groups_[static_cast<std::size_t>(p)];
      const float* gradient = gradients[static_cast<std::size_t>(p)];
      if (gradient == nullptr) continue;
      optimizer own = how;
      own.rate *= group.rate;
      if (group.weight_decay >= 0) own.weight_decay = group.weight_decay;
      for_pieces(parameters_.size(p), pool, [&](std::size_t begin, std::size_t count, std::size_t) {
        parameter_update u{.count = count,
                           .values = parameters_.values(p) + begin,
                           .gradients = gradient + begin,
                           .step = now_.step,
                           .rate_factor = rate,
                           .gradient_factor = factor / parts(),
                           .apply = apply};
        for (int m = 0; m < optimizer::moments; ++m)
          u.moments[m] = parameters_.moment(static_cast<std::size_t>(m), p) + begin;
        own.update(u);
      });
    }
    return {now_.step, loss, norm, how.rate * rate, true};
  }

  /// Puts the mean over all ranks in the place of each value of these parameters.
  void average(const std::vector<int>& parameters);

private:
  // Pieces of fixed size, so that sums are the same for any number of threads.
  static constexpr std::size_t piece = 16384;
  template <class F>
  static void for_pieces(std::size_t size, thread_pool& pool, F f) {
    pool.run((size + piece - 1) / piece, [&](std::size_t first, std::size_t last, std::size_t) {
      for (std::size_t i = first; i < last; ++i) f(i * piece, std::min(piece, size - i * piece), i);
    });
  }
  void expect_same_beginning(graph_view graph, const train_options& options, double rate) const;
  void keep_in(training_state& to) const;
  /// Of how many calls and ranks the gradients of an update are the sum.
  int parts() const { return accumulate_ * ranks_.size(); }
  /// Of all ranks, which meet for it. Throws fovea::error where their shares or rates differ.
  float mean_loss(float loss, std::int64_t rows, double rate) const;
  /// Puts in the place of gradients their sums over all ranks.
  void sum_over_ranks(std::vector<const float*>& gradients, thread_pool& pool);
  bool accumulate(float& loss, std::vector<const float*>& gradients, thread_pool& pool);
  /// Puts in the place of gradients copies that are within the bound.
  void clip_values(std::vector<const float*>& gradients, thread_pool& pool);
  double norm_of(const std::vector<const float*>& gradients, thread_pool& pool);
  void check_finite(float loss, double norm, const std::vector<const float*>& gradients) const;
  void check_rate(double rate) const;
  /// "at step 7", where calls are accumulated with which of them.
  std::string at_step() const;

  learned_parameters& parameters_;
  std::vector<parameter_group> groups_; // of each parameter
  rate_schedule schedule_;
  double clip_, clip_value_;
  int accumulate_;
  meeting ranks_;
  progress now_;
  std::vector<float> summed_;   // over all ranks, those of all parameters side by side
  std::vector<buffer> clipped_; // of each parameter
  std::vector<double> pieces_;
};

} // namespace detail

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::parameter_group, core::train_options, core::training_step;
} // namespace fovea
