#include <fovea/runtime/training/train.hpp>

#include <cmath>

#include <fnmatch.h>

#include <fovea/runtime/error.hpp>

namespace fovea::detail {

learner::learner(learned_parameters& parameters, const train_options& options)
    : parameters_(parameters), schedule_(options.schedule), clip_(options.clip),
      accumulate_(options.accumulate) {
  if (accumulate_ < 1)
    throw error("train: expected to accumulate at least one call, found " + std::to_string(accumulate_));
  for (int p = 0; p < parameters.count(); ++p) {
    groups_.emplace_back();
    for (const parameter_group& group : options.groups)
      if (::fnmatch(group.names.c_str(), parameters.name(p).c_str(), 0) == 0) {
        groups_.back() = group;
        break;
      }
  }
  for (const parameter_group& group : options.groups) {
    bool any = false;
    for (int p = 0; p < parameters.count(); ++p)
      any |= ::fnmatch(group.names.c_str(), parameters.name(p).c_str(), 0) == 0;
    if (!any)
      throw error("train: the group \"" + group.names + "\" matches no parameter; the first is " +
                  (parameters.count() == 0 ? "missing too" : parameters.name(0)));
  }
}

bool learner::accumulate(float& loss, std::vector<const float*>& gradients, thread_pool& pool) {
  calls_ = accumulate_;
  if (accumulate_ == 1) return true;
  sums_.resize(gradients.size());
  for (std::size_t p = 0; p < gradients.size(); ++p) {
    const std::size_t size = parameters_.size(static_cast<int>(p));
    if (gradients[p] == nullptr) continue;
    if (sums_[p].size() != size) sums_[p] = buffer::from_shape({size});
    if (pending_ == 0) sums_[p].fill(0);
    for_pieces(size, pool, [&](std::size_t begin, std::size_t count, std::size_t) {
      float* to = sums_[p].data() + begin;
      const float* from = gradients[p] + begin;
      for (std::size_t i = 0; i < count; ++i) to[i] += from[i];
    });
    gradients[p] = sums_[p].data();
  }
  pending_loss_ += static_cast<double>(loss);
  if (++pending_ < accumulate_) return false;
  loss = static_cast<float>(pending_loss_ / accumulate_);
  pending_ = 0, pending_loss_ = 0;
  return true;
}

double learner::norm_of(const std::vector<const float*>& gradients, thread_pool& pool) {
  double total = 0;
  for (std::size_t p = 0; p < gradients.size(); ++p) {
    if (gradients[p] == nullptr) continue;
    const std::size_t size = parameters_.size(static_cast<int>(p));
    pieces_.assign((size + piece - 1) / piece, 0);
    for_pieces(size, pool, [&](std::size_t begin, std::size_t count, std::size_t i) {
      constexpr std::size_t lanes = 16; // sums side by side
      double sums[lanes] = {};
      const float* g = gradients[p] + begin;
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
  return std::sqrt(total) / calls_;
}

void learner::check_finite(float loss, double norm, const std::vector<const float*>& gradients) {
  if (std::isfinite(loss) && std::isfinite(norm)) return;
  std::string where = "every gradient is finite";
  for (std::size_t p = gradients.size(); p-- > 0;) {
    if (gradients[p] == nullptr) continue;
    const float *first = gradients[p], *last = first + parameters_.size(static_cast<int>(p));
    if (std::all_of(first, last, [](float x) { return std::isfinite(x); })) continue;
    where = "the gradient of " + parameters_.name(static_cast<int>(p)) + " is not finite";
  }
  throw error("train: at step " + std::to_string(step_ + 1) + " the loss is " +
              (std::isnan(loss) ? "nan" : std::to_string(loss)) + // NaN has a sign, which says nothing
              " and " + where + "; the parameters are as they were before it");
}

} // namespace fovea::detail
