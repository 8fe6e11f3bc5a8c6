#include <fovea/runtime/decoding/viterbi.hpp>

#include <fovea/base/error.hpp>
#include <fovea/weights/safetensors.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>

namespace fovea::core {
namespace {

/// Shapes compare as the text that a message prints.
void check_shape(const char* what, const std::string& expected, const std::string& found) {
  if (found != expected)
    throw error("viterbi: expected " + std::string(what) + " of shape " + expected + "; found " + found);
}

void check_scores(const char* what, std::span<const float> scores) {
  for (const float score : scores)
    if (std::isnan(score) || score == std::numeric_limits<float>::infinity())
      throw error("viterbi: expected " + std::string(what) + " of numbers or minus infinity; found " +
                  std::to_string(score));
}

template <class tensor>
std::span<const float> values_of(const tensor& from) {
  return {from.data(), from.size()};
}

void check(const transition_scores& t, std::size_t labels) {
  const std::string n = std::to_string(labels);
  check_shape("transitions", "[" + n + ", " + n + "]", shape_text(t.between.shape()));
  if (t.start.size() > 0) check_shape("start scores", "[" + n + "]", shape_text(t.start.shape()));
  if (t.end.size() > 0) check_shape("end scores", "[" + n + "]", shape_text(t.end.shape()));
  check_scores("transitions", values_of(t.between));
  check_scores("start scores", values_of(t.start));
  check_scores("end scores", values_of(t.end));
}

/// scores [T, labels], row-major.
label_path best_path(std::span<const float> scores, std::size_t labels, const transition_scores& t) {
  check_scores("scores", scores);
  if (scores.empty()) return {};
  const auto at = [](const auto& tensor, auto... index) { return static_cast<double>(tensor(index...)); };
  const std::size_t steps = scores.size() / labels;

  std::vector<double> best(labels), next(labels);  // of the paths that end in each label
  std::vector<std::int32_t> before(scores.size()); // the label that the best of them has a step earlier
  for (std::size_t to = 0; to < labels; ++to)
    best[to] = static_cast<double>(scores[to]) + (t.start.size() > 0 ? at(t.start, to) : 0.0);
  for (std::size_t step = 1; step < steps; ++step) {
    for (std::size_t to = 0; to < labels; ++to) {
      std::size_t from = 0;
      for (std::size_t i = 1; i < labels; ++i)
        if (best[i] + at(t.between, i, to) > best[from] + at(t.between, from, to)) from = i;
      before[step * labels + to] = static_cast<std::int32_t>(from);
      next[to] = best[from] + at(t.between, from, to) + static_cast<double>(scores[step * labels + to]);
    }
    best.swap(next);
  }
  for (std::size_t last = 0; t.end.size() > 0 && last < labels; ++last) best[last] += at(t.end, last);

  const auto last = std::max_element(best.begin(), best.end());
  if (std::isinf(*last))
    throw error("viterbi: every path of " + std::to_string(steps) + " labels is forbidden");
  label_path path{std::vector<std::int32_t>(steps), *last};
  path.labels.back() = static_cast<std::int32_t>(last - best.begin());
  for (std::size_t step = steps - 1; step > 0; --step)
    path.labels[step - 1] = before[step * labels + static_cast<std::size_t>(path.labels[step])];
  return path;
}

} // namespace

label_path viterbi(const xt::xtensor<float, 2>& scores, const transition_scores& transitions) {
  check(transitions, scores.shape()[1]);
  return best_path(values_of(scores), scores.shape()[1], transitions);
}

std::vector<label_path> viterbi(const xt::xtensor<float, 3>& scores,
                                const xt::xtensor<std::int64_t, 1>& lengths,
                                const transition_scores& transitions) {
  const std::size_t batch = scores.shape()[0], steps = scores.shape()[1], labels = scores.shape()[2];
  check(transitions, labels);
  check_shape("lengths", "[" + std::to_string(batch) + "]", shape_text(lengths.shape()));
  std::vector<label_path> paths;
  for (std::size_t b = 0; b < batch; ++b) {
    if (lengths(b) < 0 || lengths(b) > static_cast<std::int64_t>(steps))
      throw error("viterbi: expected lengths of 0 to " + std::to_string(steps) + "; found " +
                  std::to_string(lengths(b)));
    paths.push_back(best_path(
        values_of(scores).subspan(b * steps * labels, static_cast<std::size_t>(lengths(b)) * labels), labels,
        transitions));
  }
  return paths;
}

} // namespace fovea::core
