#pragma once

#include <fovea/backends/xtensor.hpp>

#include <cstdint>
#include <vector>

namespace fovea::core {

/// What the labels of neighbours say of each other, added to a tagger's own scores (Lafferty et al. 2001;
/// Lample et al. 2016, section 2.2). Minus infinity forbids.
///   between     [labels, labels]: of the second label after the first
///   start, end  [labels]: of the first label and the last; empty: all 0
struct transition_scores {
  xt::xtensor<float, 2> between;
  xt::xtensor<float, 1> start = {}, end = {};
};

/// Labels of a sequence, and what they score together with their transitions.
struct label_path {
  std::vector<std::int32_t> labels;
  double score = 0;
};

/// The labels that score highest together (Viterbi 1967); scores [T, labels] of each step alone. Of equal
/// paths the one whose last label is smallest, then the one before it, and so on. No steps make an empty
/// path. Throws fovea::error where a shape does not fit, a score is NaN or plus infinity, or every path is
/// forbidden.
label_path viterbi(const xt::xtensor<float, 2>& scores, const transition_scores& transitions);

/// The same of each sequence of a batch: scores [B, T, labels], lengths [B] of 0 to T.
std::vector<label_path> viterbi(const xt::xtensor<float, 3>& scores,
                                const xt::xtensor<std::int64_t, 1>& lengths,
                                const transition_scores& transitions);

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::label_path, core::transition_scores, core::viterbi;
} // namespace fovea
