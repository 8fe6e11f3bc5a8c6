#include <fovea/runtime/training/learner.hpp>

#include <cmath>
#include <limits>
#include <optional>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/wildcards.hpp>
#include <fovea/runtime/training/gradient_sums.hpp>
#include <fovea/runtime/training/note_numbers.hpp>
#include <fovea/weights/training_names.hpp>

namespace fovea::core::detail {

learner::learner(learned_parameters& parameters, graph_view graph, const train_options& options, double rate)
    : parameters_(parameters), schedule_(options.schedule), clip_(options.clip),
      clip_value_(options.clip_value), accumulate_(options.accumulate), ranks_(options.group),
      bucket_(options.bucket_bytes / sizeof(float)), as_bf16_(options.bf16_gradients),
      shares_(options.shard_state), over_ranks_(options.batch_norm_over_ranks && !ranks_.is_alone()) {
  if (accumulate_ < 1)
    throw error("train: expected to accumulate at least one call, found " + std::to_string(accumulate_));
  const auto check = [](const std::string& what, double value) {
    if (!(value >= 0) || std::isinf(value))
      throw error("train: expected " + what + " of at least 0, found " + std::to_string(value));
  };
  check("a rate", rate);
  check("to clip at a norm", clip_);
  check("to clip at a value", clip_value_);
  for (const parameter_group& group : options.groups)
    check("a rate of the group \"" + group.names + "\"", group.rate);
  for (int p = 0; p < parameters.count(); ++p) {
    groups_.emplace_back();
    for (const parameter_group& group : options.groups)
      if (fits(group.names, parameters.name(p))) {
        groups_.back() = group;
        break;
      }
  }
  for (const parameter_group& group : options.groups) {
    bool any = false;
    for (int p = 0; p < parameters.count(); ++p) any |= fits(group.names, parameters.name(p));
    if (!any)
      throw error("train: the group \"" + group.names + "\" matches no parameter; the first is " +
                  (parameters.count() == 0 ? "missing too" : parameters.name(0)));
  }
  expect_same_beginning(graph, options, rate);
}

void learner::take_whole(const std::vector<const float*>& gradients) {
  slices_.clear();
  for (int p = 0; p < parameters_.count(); ++p)
    if (const float* gradient = gradients[static_cast<std::size_t>(p)]; gradient != nullptr)
      slices_.push_back({p, 0, parameters_.size(p), parameters_.begin(p), gradient});
}

bool learner::accumulate(weighted_loss& made, std::vector<const float*>& gradients, thread_pool& pool) {
  const bool taken = is_last_call() && !ranks_.is_alone(); // with what was accumulated
  now_.sums.resize(gradients.size());
  for (std::size_t p = 0; p < gradients.size() && !taken; ++p) {
    const std::size_t size = parameters_.size(static_cast<int>(p));
    if (gradients[p] == nullptr) continue;
    if (now_.sums[p].size() != size) now_.sums[p] = buffer::from_shape({size});
    if (now_.pending == 0) now_.sums[p].fill(0);
    for_pieces(size, pool, [&](std::size_t begin, std::size_t count, std::size_t) {
      float* to = now_.sums[p].data() + begin;
      const float* from = gradients[p] + begin;
      for (std::size_t i = 0; i < count; ++i) to[i] += weight_ * from[i];
    });
    gradients[p] = now_.sums[p].data();
  }
  now_.pending_loss += made.weight * static_cast<double>(made.loss);
  now_.pending_weight += made.weight;
  if (++now_.pending < accumulate_) return false;
  made = mean_of(now_.pending_loss, now_.pending_weight);
  now_.pending = 0, now_.pending_loss = now_.pending_weight = 0;
  take_whole(gradients);
  return true;
}

void learner::clip_values(double weight, thread_pool& pool) {
  const auto bound = static_cast<float>(clip_value_ * weight); // of which they are the sum
  std::size_t all = 0;
  for (const slice& one : slices_) all += one.count;
  clipped_.resize(all);
  float* clipped = clipped_.data();
  for (slice& one : slices_) {
    for_pieces(one.count, pool, [&](std::size_t begin, std::size_t count, std::size_t) {
      float* to = clipped + begin;
      const float* from = one.gradients + begin;
      for (std::size_t i = 0; i < count; ++i) to[i] = std::min(std::max(from[i], -bound), bound);
    });
    one.gradients = clipped;
    clipped += one.count;
  }
}

double learner::norm_of(const std::vector<slice>& slices, thread_pool& pool) {
  double total = 0;
  for (const slice& one : slices) {
    pieces_.assign((one.count + piece - 1) / piece, 0);
    for_pieces(one.count, pool, [&](std::size_t begin, std::size_t count, std::size_t i) {
      constexpr std::size_t lanes = 16; // sums side by side
      double sums[lanes] = {};
      const float* g = one.gradients + begin;
      std::size_t k = 0;
      for (; k + lanes <= count; k += lanes)
        for (std::size_t lane = 0; lane < lanes; ++lane) {
          const auto x = static_cast<double>(g[k + lane]);
          sums[lane] += x * x;
        }
      for (; k < count; ++k) sums[0] += static_cast<double>(g[k]) * static_cast<double>(g[k]);
      for (const double sum : sums) pieces_[i] += sum;
    });
    for (const double sum : pieces_) total += sum;
  }
  return std::sqrt(total);
}

std::string learner::at_step() const {
  const std::string step = "train: at step " + std::to_string(now_.step + 1);
  return accumulate_ == 1 ? step
                          : step + ", call " + std::to_string(now_.pending + 1) + " of " +
                                std::to_string(accumulate_) + ",";
}

void learner::check_finite(float loss, double norm, const std::vector<const float*>& gradients) const {
  if (std::isfinite(loss) && std::isfinite(norm)) return;
  std::string where = "every gradient is finite";
  for (std::size_t p = gradients.size(); p-- > 0;) {
    if (gradients[p] == nullptr) continue;
    const float *first = gradients[p], *last = first + parameters_.size(static_cast<int>(p));
    if (std::all_of(first, last, [](float x) { return std::isfinite(x); })) continue;
    where = "the gradient of " + parameters_.name(static_cast<int>(p)) + " is not finite";
  }
  throw error(at_step() + " the loss is " +
              (std::isnan(loss) ? "nan" : std::to_string(loss)) + // NaN has a sign, which says nothing
              " and " + where + "; the parameters are as they were before it");
}

void learner::check_rate(double rate) const {
  if (!std::isfinite(rate))
    throw error(at_step() + " the schedule makes the rate " + std::to_string(rate) +
                "; the parameters are as they were before it");
}

void learner::keep_in(training_state& to) const {
  to.notes.emplace(step_note, std::to_string(now_.step));
  if (now_.pending == 0) return;
  to.notes.emplace(accumulated_note, std::to_string(now_.pending) + " " + exact_text(now_.pending_loss) +
                                         " " + exact_text(now_.pending_weight));
  for (int p = 0; p < parameters_.count(); ++p)
    if (const buffer& sum = now_.sums[static_cast<std::size_t>(p)]; sum.size() > 0)
      to.accumulated[parameters_.name(p)] = {{sum.size()}, {sum.begin(), sum.end()}};
}

namespace {

constexpr double most_steps = 0x1p53; // which the optimizers count in doubles

/// What is from 0 to `most` and no fraction.
bool counts(const std::optional<double>& number, double most) {
  return number && *number >= 0 && *number <= most && *number == std::floor(*number);
}

} // namespace

learner::progress learner::saved(const training_state& from, const file_path& path,
                                 const std::function<bool(int)>& has_gradient) const {
  progress made;
  const auto step = from.notes.find(step_note);
  const auto steps = step == from.notes.end() ? std::nullopt : exact_number(step->second);
  if (!counts(steps, most_steps))
    throw error(path.string() + ": expected a checkpoint that training saved, with the step in its metadata");
  made.step = static_cast<std::int64_t>(*steps);
  if (const auto note = from.notes.find(accumulated_note); note != from.notes.end()) {
    std::string_view text = note->second;
    const auto next = [&text] {
      const std::size_t space = std::min(text.find(' '), text.size());
      const auto number = exact_number(text.substr(0, space));
      text.remove_prefix(std::min(space + 1, text.size()));
      return number;
    };
    const auto calls = next(), loss = next(), weight = next();
    const auto is_finite = [](const std::optional<double>& x) { return x && std::isfinite(*x); };
    if (!counts(calls, std::numeric_limits<int>::max()) || !is_finite(loss) || !is_finite(weight) ||
        *weight < 0 || !text.empty())
      throw error(path.string() +
                  ": expected the calls of an update, the sum of their losses and what these "
                  "weigh in the note \"" +
                  std::string(accumulated_note) + "\", found " + in_quotes(note->second));
    made.pending = static_cast<int>(*calls);
    made.pending_loss = *loss, made.pending_weight = *weight;
  }
  if (made.pending >= accumulate_)
    throw error(path.string() + ": was saved after " + std::to_string(made.pending) +
                " calls of an update; expected fewer than the " + std::to_string(accumulate_) +
                " that are accumulated");
  made.sums.resize(static_cast<std::size_t>(parameters_.count()));
  std::size_t known = 0;
  for (int p = 0; p < parameters_.count(); ++p) {
    const std::string name = std::string(accumulated_prefix) + parameters_.name(p),
                      expected = std::to_string(parameters_.size(p)) + " values of " + name;
    const auto sum = from.accumulated.find(parameters_.name(p));
    if (sum == from.accumulated.end()) {
      if (made.pending > 0 && has_gradient(p) && groups_[static_cast<std::size_t>(p)].rate != 0)
        throw error(path.string() + ": expected " + expected + ", for " + std::to_string(made.pending) +
                    " calls of an update were made, found none");
      continue;
    }
    ++known;
    const std::vector<float>& values = sum->second.values;
    if (values.size() != parameters_.size(p))
      throw error(path.string() + ": expected " + expected + ", found " + std::to_string(values.size()));
    buffer& to = made.sums[static_cast<std::size_t>(p)];
    to = buffer::from_shape({values.size()});
    // All ranks add theirs: what one has accumulated is the first one's.
    if (ranks_.rank() == 0)
      std::ranges::copy(values, to.begin());
    else
      to.fill(0);
  }
  if (known != from.accumulated.size())
    throw error(path.string() + ": there are gradients accumulated of parameters that this model has not");
  return made;
}

} // namespace fovea::core::detail
