// What a learner does with the other ranks of its group.

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fovea/base/error.hpp>
#include <fovea/base/number_text.hpp>
#include <fovea/runtime/training/digest.hpp>
#include <fovea/runtime/training/gradient_sums.hpp>
#include <fovea/runtime/training/learner.hpp>

namespace fovea::core::detail {

namespace {

std::uint64_t digest_of(graph_view graph, const learned_parameters& parameters) {
  digest all;
  for (int id = 0; id < graph.node_count(); ++id) {
    const node& n = graph.at(id);
    all.add(static_cast<std::uint64_t>(n.kind)), all.add(static_cast<std::uint64_t>(n.type));
    for (int i = 0; i < n.operand_count; ++i) all.add(static_cast<std::uint64_t>(graph.operand(id, i)));
    for (int axis = 0; axis < n.shape.rank; ++axis)
      all.add(static_cast<std::uint64_t>(graph.is_number(n.shape[axis]) ? graph.number(n.shape[axis]) : -1));
  }
  for (int p = 0; p < parameters.count(); ++p) {
    all.add(std::string_view(parameters.name(p)));
    all.add(std::uint64_t{parameters.size(p)});
  }
  return all.value();
}

std::uint64_t digest_of(const train_options& options, const std::string& optimizer, double rate) {
  digest all;
  all.add(std::string_view(optimizer));
  for (const double number : {rate, options.clip, options.clip_value}) all.add(number);
  all.add(static_cast<std::uint64_t>(options.accumulate)), all.add(options.seed);
  all.add(std::uint64_t{options.bucket_bytes});
  all.add(std::uint64_t{options.bf16_gradients}), all.add(std::uint64_t{options.shard_state});
  all.add(std::uint64_t{options.batch_norm_over_ranks});
  for (const parameter_group& group : options.groups) {
    all.add(std::string_view(group.names));
    all.add(group.rate), all.add(group.weight_decay);
  }
  return all.value();
}

} // namespace

void learner::expect_same_beginning(graph_view graph, const train_options& options, double rate) const {
  if (ranks_.is_alone()) return;
  const auto expect = [&](std::uint64_t digest, const char* found, const char* expected) {
    ranks_.expect_same(occasion::train, digest, found, expected);
  };
  digest version;
  version.add(std::string_view(FOVEA_VERSION));
  expect(version.value(), "has another version of Fovea", "one version on all ranks");
  expect(digest_of(graph, parameters_), "has another model", "one model on all ranks");
  expect(digest_of(options, parameters_.optimizer(), rate), "has another optimizer or other options",
         "all ranks to learn in one way");
  expect(parameters_.digest(), "begins with other weights", "all ranks to begin with the same");
}

learner::weighted_loss learner::mean_of(double sum, double weight) {
  return {static_cast<float>(weight > 0 ? sum / weight : 0), weight};
}

learner::weighted_loss learner::mean_loss(weighted_loss own, std::int64_t rows, double rate) const {
  if (ranks_.is_alone()) return own;
  const communication_clock::waiting now(sums_->clock(), "wait for ranks");
  const auto all = ranks_.meet(occasion::step, {own.loss, static_cast<float>(rows), static_cast<float>(rate),
                                                static_cast<float>(own.weight)});
  double total = 0, weight = 0;
  for (int r = 0; r < ranks_.size(); ++r) {
    const float* told = all.data() + static_cast<std::size_t>(r) * meeting::count;
    total += static_cast<double>(told[3]) * static_cast<double>(told[0]);
    weight += static_cast<double>(told[3]);
    const auto expect_same = [&](std::size_t i, const char* what) {
      if (told[i] != all[i])
        throw error(at_step() + " rank " + std::to_string(r) + " has " + what + " of " +
                    number_text(static_cast<double>(told[i])) + ", and rank 0 of " +
                    number_text(static_cast<double>(all[i])) + "; expected the same on every rank");
    };
    expect_same(1, "a number of rows"), expect_same(2, "a rate");
    // Gradients go through statistics of all ranks as through means, whatever a rank's loss weighs.
    if (over_ranks_) expect_same(3, "a number of counted targets (for .batch_norm_over_ranks)");
  }
  return mean_of(total, weight);
}

learner::~learner() = default;

communication learner::communication_so_far() const {
  return sums_ == nullptr ? communication{} : sums_->clock().so_far();
}

learner::open_sums::~open_sums() {
  if (sums != nullptr) sums->abandon();
}

void learner::prepare(const std::vector<int>& outputs, int weight,
                      const std::vector<output_part>* parts_told) {
  if (ranks_.is_alone()) return parameters_.make_moments();
  const std::vector<output_part> told = parts_told == nullptr ? std::vector<output_part>{} : *parts_told;
  const auto parameter_of = [&](const output_part& part) {
    return static_cast<std::size_t>(std::ranges::find(outputs, static_cast<int>(part.output)) -
                                    outputs.begin());
  };
  std::vector<std::size_t> values_told(outputs.size() + 1);
  for (const output_part& part : told) values_told[parameter_of(part)] += part.count;
  const auto is_told = [&](std::size_t p) { return values_told[p] == parameters_.size(static_cast<int>(p)); };
  const auto learns = [&](std::size_t p) { return outputs[p] >= 0 && groups_[p].rate != 0; };

  std::vector<parameter_part> parts;
  for (const output_part& part : told) {
    const std::size_t p = parameter_of(part);
    if (static_cast<int>(part.output) == weight) told_weight_ = is_summed_.size();
    is_summed_.push_back(p < outputs.size() && learns(p) && is_told(p));
    if (is_summed_.back()) parts.push_back({static_cast<int>(p), part.first, part.count});
  }
  for (std::size_t p = 0; p < outputs.size(); ++p)
    if (learns(p) && !is_told(p))
      parts.push_back({static_cast<int>(p), 0, parameters_.size(static_cast<int>(p))});
  sums_ = std::make_unique<gradient_sums>(ranks_.group(), std::move(parts),
                                          summing_options{bucket_, as_bf16_, shares_});
  std::vector<learned_parameters::run_of_values> own;
  std::size_t moments = 0;
  for (const gradient_sums::summed_part& part : sums_->own()) {
    const std::size_t first = parameters_.begin(part.parameter) + part.first;
    summed_.push_back(
        {part.parameter, part.first, part.count, shares_ ? moments : first, sums_->sums() + part.at});
    own.push_back({first, part.count});
    moments += part.count;
  }
  if (!shares_) return parameters_.make_moments();
  for (std::size_t p = 0; p < outputs.size(); ++p) {
    if (learns(p)) continue;
    resting_.push_back(static_cast<int>(p));
    const parameter_part share = resting_share(static_cast<int>(p), ranks_.rank());
    own.push_back({parameters_.begin(share.parameter) + share.first, share.count});
  }
  parameters_.make_moments(std::move(own));
}

parameter_part learner::resting_share(int parameter, int rank) const {
  const auto ranks = static_cast<std::size_t>(ranks_.size()), r = static_cast<std::size_t>(rank);
  const std::size_t size = parameters_.size(parameter), first = size * r / ranks;
  return {parameter, first, size * (r + 1) / ranks - first};
}

void learner::begin_run(thread_pool& pool) {
  if (ranks_.is_alone()) return;
  sums_->begin();
  problem_ = nullptr;
  running_ = is_last_call() ? &pool : nullptr;
  weight_ = 1;
  has_met_ = false;
}

void learner::meet_in_run() {
  if (has_met_) return;
  const communication_clock::waiting now(sums_->clock(), "wait for ranks");
  ranks_.meet(occasion::step); // a rank may have refused what it was given
  has_met_ = true;
}

void learner::take_mean(std::span<float> values) noexcept {
  if (problem_ != nullptr) return;
  try {
    meet_in_run();
    const communication_clock::waiting now(sums_->clock(), "mean over ranks");
    ranks_.group().mean(values);
  } catch (...) {
    problem_ = std::current_exception();
  }
}

void learner::end_run() {
  running_ = nullptr;
  if (problem_ != nullptr) std::rethrow_exception(problem_);
}

void learner::take(std::size_t i, const float* values) noexcept {
  if (i == told_weight_) weight_ = *values; // which every gradient depends on
  if (running_ != nullptr && is_summed_[i]) take_next(values, *running_);
}

void learner::after_step() noexcept {
  if (running_ == nullptr || problem_ != nullptr || !ranks_.group().moves_meanwhile()) return;
  try {
    if (!sums_->has_begun() && (!sums_->is_full() || sums_->next() == sums_->parts().size())) return;
    meet_in_run();
    sums_->begin_full();
    sums_->progress();
  } catch (...) {
    problem_ = std::current_exception();
  }
}

void learner::take_next(const float* values, thread_pool& pool) {
  const parameter_part& part = sums_->parts()[sums_->next()];
  const auto p = static_cast<std::size_t>(part.parameter);
  const float* before = now_.pending > 0 ? now_.sums[p].data() + part.first : nullptr;
  float* to = sums_->place_of_next();
  for_pieces(part.count, pool, [&](std::size_t begin, std::size_t count, std::size_t) {
    if (before == nullptr)
      for (std::size_t i = begin; i < begin + count; ++i) to[i] = weight_ * values[i];
    else
      for (std::size_t i = begin; i < begin + count; ++i) to[i] = before[i] + weight_ * values[i];
  });
  sums_->add_next();
}

void learner::take_rest(const std::vector<const float*>& gradients, thread_pool& pool) {
  while (sums_->next() < sums_->parts().size()) {
    const parameter_part& part = sums_->parts()[sums_->next()];
    take_next(gradients[static_cast<std::size_t>(part.parameter)] + part.first, pool);
  }
}

void learner::take_sums() {
  if (ranks_.is_alone()) return;
  sums_->finish();
  slices_ = summed_;
}

double learner::norm_of_all(double weight, thread_pool& pool) {
  double norm = norm_of(slices_, pool);
  if (!ranks_.is_alone() && shares_) {
    const communication_clock::waiting now(sums_->clock(), "wait for ranks");
    norm = std::sqrt(ranks_.total(occasion::step, norm * norm));
  }
  if (!std::isfinite(norm))
    throw error("train: at step " + std::to_string(now_.step + 1) + " the sum of the " +
                (ranks_.is_alone() ? "calls'" : "ranks'") +
                " gradients is not finite; the parameters are as they were before it");
  return norm / weight;
}

void learner::share_updates() {
  if (ranks_.is_alone() || !shares_) return;
  const auto values = [&](const parameter_part& part) {
    return parameters_.values(part.parameter) + part.first;
  };
  sums_->gather(
      [&](const parameter_part& part, float* to) { std::copy_n(values(part), part.count, to); },
      [&](const parameter_part& part, const float* from) { std::copy_n(from, part.count, values(part)); });
}

std::vector<buffer> learner::whole_moments() const {
  std::vector<buffer> whole;
  if (ranks_.is_alone() || !shares_) return whole;
  const std::size_t count = parameters_.begin(parameters_.count());
  for (std::size_t m = 0; m < parameters_.moment_count(); ++m) {
    float* all = nullptr;
    if (ranks_.rank() == 0) {
      whole.push_back(buffer::from_shape({count}));
      all = whole.back().data();
    }
    const auto keep = [&](const parameter_part& part, const float* from) {
      if (all != nullptr) std::copy_n(from, part.count, all + parameters_.begin(part.parameter) + part.first);
    };
    std::size_t own = 0;
    sums_->gather(
        [&](const parameter_part& part, float* to) {
          const float* from = parameters_.moment(m, own);
          std::copy_n(from, part.count, to);
          keep(part, from);
          own += part.count;
        },
        keep);
    std::vector<float> sent;
    for (const int p : resting_)
      for (int r = 0; r < ranks_.size(); ++r) {
        const parameter_part share = resting_share(p, r);
        sent.resize(share.count);
        if (r == ranks_.rank()) {
          std::copy_n(parameters_.moment(m, own), share.count, sent.begin());
          own += share.count;
        }
        ranks_.group().broadcast(std::as_writable_bytes(std::span(sent)), r);
        keep(share, sent.data());
      }
  }
  return whole;
}

void learner::average(const std::vector<int>& parameters) {
  if (ranks_.is_alone() || parameters.empty()) return;
  std::vector<float> all;
  for (const int p : parameters)
    all.insert(all.end(), parameters_.values(p), parameters_.values(p) + parameters_.size(p));
  ranks_.group().mean(all);
  const float* from = all.data();
  for (const int p : parameters) {
    std::copy_n(from, parameters_.size(p), parameters_.values(p));
    from += parameters_.size(p);
  }
}

void learner::save(training_state& to, const file_path& path, const std::function<void()>& gather,
                   const save_function& write) const {
  ranks_.attempt(occasion::save, [&] {
    if (!ranks_.is_alone() && now_.pending > 0)
      throw error(path.string() + ": is not written, for each rank has " + std::to_string(now_.pending) +
                  " calls of the next update accumulated; expected to save after it");
    keep_in(to);
  });
  if (ranks_.is_alone()) return gather(), write({});
  ranks_.expect_same(occasion::save, parameters_.digest(), "has come to other parameters",
                     "one optimizer and one instruction set on all ranks");
  gather();
  const std::vector<buffer> moments = whole_moments();
  ranks_.attempt(occasion::save, [&] {
    if (ranks_.rank() == 0) write(moments);
  });
  ranks_.meet(occasion::save);
}

void learner::expect_same_checkpoint() const {
  if (ranks_.is_alone()) return;
  digest all;
  all.add(static_cast<std::uint64_t>(now_.step)), all.add(static_cast<std::uint64_t>(now_.pending));
  all.add(parameters_.digest());
  ranks_.expect_same(occasion::resume, all.value(), "has read another checkpoint",
                     "all ranks to read the same");
}

} // namespace fovea::core::detail
