#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fovea/backends/output_watcher.hpp>
#include <fovea/backends/rank_means.hpp>
#include <fovea/base/threads.hpp>
#include <fovea/runtime/options.hpp>
#include <fovea/runtime/ranks/rank_group.hpp>
#include <fovea/runtime/training/communication.hpp>
#include <fovea/runtime/training/learned_parameters.hpp>
#include <fovea/runtime/training/meeting.hpp>
#include <fovea/runtime/training/optimizer.hpp>
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
  int accumulate = 1;          // calls of `step` that make one update, by the mean of their losses
  std::vector<parameter_group> groups = {};
  std::uint64_t seed = 0; // of dropout
  /// The largest each gradient may be, either way, before their norm is clipped; 0: any. Of calls that are
  /// accumulated it is that of their mean.
  double clip_value = 0;
  /// Ranks that learn together, each from its share of every batch: the update is that of the mean of their
  /// losses. Each share has as many rows, the first axis of the model's first input. None: one learns alone.
  /// In this mean, and that of accumulated calls, a loss of the form total / max(n, 1) weighs n, where n is a
  /// sum of to_float(...), as in cross_entropy; any other weighs 1.
  rank_group group = {};
  /// Of a group: bytes of gradients that are summed at once, while the others are still computed; 0: a
  /// sixteenth of all, from 64 KiB to 4 MiB.
  std::size_t bucket_bytes = 0;
  /// Of a group: gradients are rounded to bfloat16 on their way to the other ranks, and so are their sums.
  /// They are added in float32.
  bool bf16_gradients = false;
  /// Of a group: each rank keeps what the optimizer keeps of its share of the parameters alone, updates that
  /// share, and gets the others' (ZeRO's first stage; Rajbhandari et al. 2020).
  bool shard_state = false;
  /// Of a group: batch_norm takes the mean and variance of the rows of all ranks, not of each rank's own.
  bool batch_norm_over_ranks = false;
};

/// What a step of training did.
struct training_step {
  std::int64_t step = 0; // updates so far
  float loss = 0;        // before the update; the mean over the calls of the update, and the ranks of a group
  double gradient_norm = 0, rate = 0;
  bool updated = true; // false while gradients are being accumulated
};

namespace detail {

class gradient_sums;
struct parameter_part;

/// The part of training that knows no model: gradients to updates. Of a group it takes gradients while a run
/// makes them.
class learner final : public output_watcher, public rank_means {
public:
  /// Meets the other ranks. Throws fovea::error where one has another model, other options or other weights.
  learner(learned_parameters& parameters, graph_view graph, const train_options& options, double rate);
  ~learner() override;
  learner(const learner&) = delete;
  learner& operator=(const learner&) = delete;

  /// To be called before anything is learned. outputs[p] is the engine's output that has the gradient of
  /// parameter p, or -1, and `weight` what the loss weighs, or -1; `told` the parts of outputs that the engine
  /// tells of, or null.
  void prepare(const std::vector<int>& outputs, int weight, const std::vector<output_part>* told);

  /// How far training has come: updates, and the calls of the next one with their losses and gradients, times
  /// what each weighs.
  struct progress {
    std::int64_t step = 0;
    int pending = 0;
    double pending_loss = 0, pending_weight = 0;
    std::vector<buffer> sums = {}; // of each parameter
  };

  /// Writes a checkpoint, the moments of all values being given where no rank has all.
  using save_function = std::function<void(const std::vector<buffer>& moments)>;

  std::int64_t step() const { return now_.step; }
  /// Whether a parameter stays as it is.
  bool is_frozen(int parameter) const { return groups_[static_cast<std::size_t>(parameter)].rate == 0; }
  const meeting& others() const { return ranks_; }
  communication communication_so_far() const;

  /// A run begins, by the threads of `pool`, and ends. Throws what the other ranks, or the engine of the
  /// group, had to say in it.
  void begin_run(thread_pool& pool);
  void end_run();
  void take(std::size_t i, const float* values) noexcept override;
  void after_step() noexcept override;
  /// For the steps of a run, where there is more than one rank and that is wanted.
  rank_means* means_over_ranks() { return over_ranks_ ? this : nullptr; }
  int ranks() const noexcept override { return ranks_.size(); }
  void take_mean(std::span<float> values) noexcept override;

  /// Adds what it keeps to the state, has `gather` add what each rank has its part of, and has all written, by
  /// rank 0 of a group. Throws fovea::error on each rank where it cannot be written, or where it would hold
  /// what only one rank has: what is accumulated.
  void save(training_state& to, const file_path& path, const std::function<void()>& gather,
            const save_function& write) const;
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

  /// A loss, and what it weighs beside those of other calls and ranks.
  struct weighted_loss {
    float loss;
    double weight;
  };
  /// Takes the gradients of one call of so many rows: gradients[p] of each parameter, null where it has none.
  /// `update` is called with the optimizer's part of each parameter, and has a backend's `apply`. Throws
  /// fovea::error where the loss, a gradient or the rate is not finite, parameters and what is accumulated
  /// being as they were; on each rank of a group where that is so on one.
  template <class optimizer>
  training_step learn(const optimizer& how, weighted_loss made, std::int64_t rows,
                      std::vector<const float*>& gradients, thread_pool& pool,
                      void (&apply)(const optimizer_args&)) {
    for (std::size_t p = 0; p < gradients.size(); ++p)
      if (groups_[p].rate == 0) gradients[p] = nullptr; // what stays as it is has no part in the norm
    const open_sums open{sums_.get()};
    take_whole(gradients);
    double norm = norm_of(slices_, pool), rate = 1;
    ranks_.attempt(occasion::step, [&] {
      check_finite(made.loss, norm, gradients);
      if (schedule_) rate = schedule_(now_.step + 1);
      check_rate(how.rate * rate);
    });
    weight_ = parts() > 1 ? static_cast<float>(made.weight) : 1;
    made = mean_loss({made.loss, static_cast<double>(weight_)}, rows, how.rate * rate);
    if (!ranks_.is_alone() && is_last_call()) take_rest(gradients, pool);
    if (accumulate_ > 1 && !accumulate(made, gradients, pool)) return {now_.step, made.loss, 0, 0, false};
    take_sums();
    const double weight = made.weight > 0 ? made.weight : 1; // where nothing counts, gradients are 0
    if (parts() > 1) norm = norm_of_all(weight, pool);
    if (clip_value_ > 0) {
      clip_values(weight, pool);
      norm = norm_of_all(weight, pool);
    }
    const double factor = clip_ > 0 ? std::min(1.0, clip_ / (norm + 1e-6)) : 1;
    ++now_.step;
    for (const slice& one : slices_) {
      const parameter_group& group = groups_[static_cast<std::size_t>(one.parameter)];
      optimizer own = how;
      own.rate *= group.rate;
      if (group.weight_decay >= 0) own.weight_decay = group.weight_decay;
      for_pieces(one.count, pool, [&](std::size_t begin, std::size_t count, std::size_t) {
        parameter_update u{.count = count,
                           .values = parameters_.values(one.parameter) + one.first + begin,
                           .gradients = one.gradients + begin,
                           .step = now_.step,
                           .rate_factor = rate,
                           .gradient_factor = factor / weight,
                           .apply = apply};
        for (int m = 0; m < optimizer::moments; ++m)
          u.moments[m] = parameters_.moment(static_cast<std::size_t>(m), one.moments + begin);
        own.update(u);
      });
    }
    share_updates();
    return {now_.step, made.loss, norm, how.rate * rate, true};
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
  /// What is updated at once: values of a parameter, the first of their moments, and their gradients.
  struct slice {
    int parameter;
    std::size_t first, count, moments;
    const float* gradients;
  };
  /// Hears before anything is sent in a run whether all ranks are in it.
  void meet_in_run();
  /// Ends what the other ranks go on with where this one cannot.
  struct open_sums {
    gradient_sums* sums; // or null
    ~open_sums();
  };
  bool is_last_call() const { return now_.pending + 1 == accumulate_; }
  /// Of how many calls and ranks the gradients of an update come.
  int parts() const { return accumulate_ * ranks_.size(); }
  /// Of a sum of losses times what they weigh; 0 where they weigh nothing.
  static weighted_loss mean_of(double sum, double weight);
  /// Of all ranks, which meet for it, with the sum of what theirs weigh. Throws fovea::error where their shares
  /// or rates differ.
  weighted_loss mean_loss(weighted_loss own, std::int64_t rows, double rate) const;
  /// Makes slices of whole parameters.
  void take_whole(const std::vector<const float*>& gradients);
  // Of a group: puts the next of those that are to be summed beside the others, all that no run has told of,
  // and makes slices of the sums that this rank gets.
  void take_next(const float* values, thread_pool& pool);
  void take_rest(const std::vector<const float*>& gradients, thread_pool& pool);
  void take_sums();
  /// Of a group that shares the state: sends the others what was updated, and takes what they have.
  void share_updates();
  std::vector<buffer> whole_moments() const;
  /// Of a parameter that does not learn, what a rank keeps the moments of: a checkpoint may have brought some.
  parameter_part resting_share(int parameter, int rank) const;
  /// Whether the update is to be made, by the mean loss of its calls and what they weigh together.
  bool accumulate(weighted_loss& made, std::vector<const float*>& gradients, thread_pool& pool);
  /// Puts in the place of gradients copies that are within the bound.
  void clip_values(double weight, thread_pool& pool);
  double norm_of(const std::vector<slice>& slices, thread_pool& pool);
  /// Of the mean gradient of all calls and ranks, which weigh so much together. Throws fovea::error where it
  /// is not finite.
  double norm_of_all(double weight, thread_pool& pool);
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
  float weight_ = 1; // of this call's loss and gradients
  std::vector<slice> slices_;
  std::vector<float> clipped_; // of all slices, side by side
  std::vector<double> pieces_;
  // Of a group.
  std::size_t bucket_;
  bool as_bf16_, shares_;
  std::unique_ptr<gradient_sums> sums_;
  std::vector<slice> summed_;          // what this rank gets the sums of
  std::vector<int> resting_;           // parameters that do not learn, where ranks share the state
  std::vector<bool> is_summed_;        // each part that the engine tells of
  std::size_t told_weight_ = SIZE_MAX; // which of these is what the loss weighs
  thread_pool* running_ = nullptr;     // in a run whose gradients are summed
  std::exception_ptr problem_;         // in that run
  bool over_ranks_, has_met_ = false;
};

} // namespace detail

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::parameter_group, core::train_options, core::training_step;
} // namespace fovea
