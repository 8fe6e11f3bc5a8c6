// What a learner does with the other ranks of its group.

#include <algorithm>
#include <string>

#include <fovea/base/error.hpp>
#include <fovea/base/number_text.hpp>
#include <fovea/runtime/training/digest.hpp>
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

float learner::mean_loss(float loss, std::int64_t rows, double rate) const {
  if (ranks_.is_alone()) return loss;
  const auto all = ranks_.meet(occasion::step, {loss, static_cast<float>(rows), static_cast<float>(rate)});
  double total = 0;
  for (int r = 0; r < ranks_.size(); ++r) {
    const float* told = all.data() + static_cast<std::size_t>(r) * meeting::count;
    total += static_cast<double>(told[0]);
    const auto expect_same = [&](std::size_t i, const char* what) {
      if (told[i] != all[i])
        throw error(at_step() + " rank " + std::to_string(r) + " has " + what + " of " +
                    number_text(static_cast<double>(told[i])) + ", and rank 0 of " +
                    number_text(static_cast<double>(all[i])) + "; expected the same on every rank");
    };
    expect_same(1, "a number of rows"), expect_same(2, "a rate");
  }
  return static_cast<float>(total / ranks_.size());
}

void learner::sum_over_ranks(std::vector<const float*>& gradients, thread_pool& pool) {
  if (ranks_.is_alone()) return;
  std::size_t count = 0;
  for (std::size_t p = 0; p < gradients.size(); ++p)
    if (gradients[p] != nullptr) count += parameters_.size(static_cast<int>(p));
  summed_.resize(count);
  float* to = summed_.data();
  for (std::size_t p = 0; p < gradients.size(); ++p) {
    if (gradients[p] == nullptr) continue;
    const std::size_t size = parameters_.size(static_cast<int>(p));
    for_pieces(size, pool, [&](std::size_t begin, std::size_t length, std::size_t) {
      std::copy_n(gradients[p] + begin, length, to + begin);
    });
    gradients[p] = to;
    to += size;
  }
  ranks_.group().sum(summed_);
}

void learner::average(const std::vector<int>& parameters) {
  if (ranks_.is_alone() || parameters.empty()) return;
  std::vector<float> all;
  for (const int p : parameters)
    all.insert(all.end(), parameters_.values(p), parameters_.values(p) + parameters_.size(p));
  ranks_.group().sum(all);
  const float* from = all.data();
  for (const int p : parameters)
    for (std::size_t i = 0; i < parameters_.size(p); ++i)
      parameters_.values(p)[i] = *from++ / static_cast<float>(ranks_.size());
}

void learner::save(training_state& to, const file_path& path, const std::function<void()>& gather,
                   const std::function<void()>& write) const {
  ranks_.attempt(occasion::save, [&] {
    if (!ranks_.is_alone() && now_.pending > 0)
      throw error(path.string() + ": is not written, for each rank has " + std::to_string(now_.pending) +
                  " calls of the next update accumulated; expected to save after it");
    keep_in(to);
  });
  if (ranks_.is_alone()) return gather(), write();
  ranks_.expect_same(occasion::save, parameters_.digest(), "has come to other parameters",
                     "one optimizer and one instruction set on all ranks");
  gather();
  ranks_.attempt(occasion::save, [&] {
    if (ranks_.rank() == 0) write();
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
