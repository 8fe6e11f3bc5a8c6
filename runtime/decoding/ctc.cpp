#include <fovea/runtime/decoding/ctc.hpp>

#include <fovea/base/error.hpp>
#include <fovea/runtime/decoding/class_scores.hpp>

#include <algorithm>
#include <limits>
#include <map>

namespace fovea::core {
namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();

/// What the frames so far make probable that begins with some labels.
struct beginning {
  double in_blank = impossible; // of the paths that end in a blank
  double in_label = impossible; // of those that end in the last label
  double prior = 0;             // of the labels: prior and bonus
  double by_frames() const { return detail::log_sum(in_blank, in_label); }
  double score() const { return by_frames() + prior; }
};

using labels_of_beginning = std::vector<std::int32_t>;

} // namespace

std::vector<ctc_label> ctc_reader::read(const xt::xtensor<float, 2>& scores) {
  std::vector<ctc_label> made;
  for (std::size_t t = 0; t < scores.shape()[0]; ++t, ++frames_) {
    const std::span<const float> frame = detail::frame_of(scores, t);
    detail::check_blank("ctc", blank_, frame.size());
    const std::int32_t label = detail::best_class("ctc", frame);
    if (label != blank_ && label != before_) made.push_back({label, frames_});
    before_ = label;
  }
  return made;
}

std::vector<ctc_label> ctc_greedy(const xt::xtensor<float, 2>& scores, std::int32_t blank) {
  return ctc_reader(blank).read(scores);
}

std::vector<ctc_text> ctc_beam_search(const xt::xtensor<float, 2>& scores, const ctc_beam_options& options) {
  const std::size_t frames = scores.shape()[0], classes = scores.shape()[1];
  detail::check_blank("ctc", options.blank, classes);
  if (options.width == 0) throw error("ctc: expected a width of at least 1; found 0");

  using beam = std::map<labels_of_beginning, beginning>;
  beam kept{{{}, {.in_blank = 0}}};
  std::vector<double> p(classes);
  for (std::size_t t = 0; t < frames; ++t) {
    detail::log_probabilities_of("ctc", detail::frame_of(scores, t), p);
    beam next;
    const auto prior_of = [&](const labels_of_beginning& labels, const beginning& b, std::int32_t label) {
      return b.prior + options.bonus + (options.prior ? options.weight * options.prior(labels, label) : 0.0);
    };
    for (const auto& [labels, b] : kept) {
      const std::int32_t last = labels.empty() ? options.blank : labels.back();
      beginning& same = next[labels];
      same.prior = b.prior;
      same.in_blank =
          detail::log_sum(same.in_blank, b.by_frames() + p[static_cast<std::size_t>(options.blank)]);
      if (!labels.empty())
        same.in_label = detail::log_sum(same.in_label, b.in_label + p[static_cast<std::size_t>(last)]);
      for (std::size_t k = 0; k < classes; ++k) {
        const auto label = static_cast<std::int32_t>(k);
        // The same label again is another one only behind a blank.
        const double from = label == last ? b.in_blank : b.by_frames();
        if (label == options.blank || from + p[k] == impossible) continue;
        labels_of_beginning longer = labels;
        longer.push_back(label);
        const auto [at, is_new] = next.try_emplace(std::move(longer));
        if (is_new) at->second.prior = prior_of(labels, b, label);
        at->second.in_label = detail::log_sum(at->second.in_label, from + p[k]);
      }
    }
    std::vector<beam::iterator> ranked;
    for (auto i = next.begin(); i != next.end(); ++i) ranked.push_back(i);
    const std::size_t count = std::min(options.width, ranked.size());
    const auto better = [](const auto& a, const auto& b) { return a->second.score() > b->second.score(); };
    std::ranges::stable_sort(ranked, better);
    kept.clear();
    for (std::size_t i = 0; i < count; ++i) kept.insert(next.extract(ranked[i]));
  }

  std::vector<ctc_text> made;
  for (auto& [labels, b] : kept)
    if (b.score() != impossible) made.push_back({labels, b.by_frames(), b.score()});
  std::ranges::stable_sort(made, std::ranges::greater{}, &ctc_text::score);
  if (made.size() > options.best) made.resize(options.best);
  return made;
}

} // namespace fovea::core
