#pragma once

#include <fovea/backends/xtensor.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace fovea::core {

/// A label, and the frame, from 0, where it begins.
struct ctc_label {
  std::int32_t label = 0;
  std::int64_t frame = 0;
  friend bool operator==(const ctc_label&, const ctc_label&) = default;
};

/// The class that scores highest in each frame, equal neighbours as one and without blanks (Graves et al. 2006,
/// section 3.2). It takes frames as they come.
class ctc_reader {
public:
  explicit ctc_reader(std::int32_t blank = 0) : blank_(blank), before_(blank) {}

  /// The labels that begin in the next frames: scores [frames, classes]. Of equal scores the smaller class.
  /// Throws fovea::error where a score is NaN, or the blank no class.
  std::vector<ctc_label> read(const xt::xtensor<float, 2>& scores);

private:
  std::int32_t blank_, before_;
  std::int64_t frames_ = 0;
};

/// The same of all frames at once.
std::vector<ctc_label> ctc_greedy(const xt::xtensor<float, 2>& scores, std::int32_t blank = 0);

/// How beams of labels are searched.
///   width   how many beginnings are kept after each frame
///   best    the most texts that are returned
///   blank   the class of a frame that says no label
///   prior   log p of the label that comes next after those that stand there, as a language model has it
///   weight  what the prior counts, beside the frames' 1
///   bonus   what each label adds to the score: a prior prefers few
struct ctc_beam_options {
  std::size_t width = 16;
  std::size_t best = 1;
  std::int32_t blank = 0;
  std::function<double(std::span<const std::int32_t>, std::int32_t)> prior = {};
  double weight = 1;
  double bonus = 0;
};

/// Labels; log of their probability by the frames, as far as the beam saw its paths; and what they were ranked
/// by, which is that with the prior and the bonus.
struct ctc_text {
  std::vector<std::int32_t> labels;
  double log_probability = 0, score = 0;
};

/// The labels that are most probable with all paths that say them added up, by prefix search (Graves 2012,
/// section 7.5; Hannun et al. 2014, with a prior): scores [frames, classes], whose softmax gives the
/// probabilities. Best first; of equal ones the smaller labels. Throws fovea::error for an option out of its
/// range, and where a score is NaN or plus infinity.
std::vector<ctc_text> ctc_beam_search(const xt::xtensor<float, 2>& scores,
                                      const ctc_beam_options& options = {});

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::ctc_beam_options, core::ctc_beam_search, core::ctc_greedy, core::ctc_label, core::ctc_reader,
    core::ctc_text;
} // namespace fovea
