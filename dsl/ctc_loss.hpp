#pragma once

#include <limits>

#include <fovea/dsl/loss.hpp>
#include <fovea/dsl/scan.hpp>
#include <fovea/dsl/select.hpp>

namespace fovea::core {

struct ctc_options {
  expr lengths = {};   // int32 [B]: how many frames of each row count; all of them where not given
  int blank = 0;       // the class of a frame without a label
  bool average = true; // over the labels of each row, then over the rows; false: the sum of the rows
  bool each = false;   // of each row apart, infinity where too few frames are there for the labels
};

namespace detail {

/// Whether logits come before targets, as floats before labels; false after an error.
constexpr bool logits_come_first(expr logits, expr targets, const char* word, source_place at) {
  if (logits.owner != nullptr && logits.owner->usable(logits, at, word) &&
      logits.owner->usable(targets, at, word) && logits.owner->nodes[logits.id].type == element::i32 &&
      logits.owner->nodes[targets.id].type == element::f32) {
    logits.owner->fail(371, at, word, ": the logits come first, then the targets; found int32 ", logits,
                       " and float32 ", targets);
    return false;
  }
  return is_float(logits, at, word) && logits.owner->usable(targets, at, word);
}

/// Whether the blank is one of the classes, and lengths are one for each row of the targets; false after an error.
constexpr bool transcript_fits(expr targets, std::int64_t classes, int blank, expr of_rows, const char* word,
                               source_place at) {
  graph& g = *targets.owner;
  if (blank < 0 || blank >= classes) {
    g.fail(360, at, word, ": expected a blank of 0 to ", classes - 1, ", found ", blank);
    return false;
  }
  if (of_rows.owner == nullptr) return true;
  if (!g.usable(of_rows, at, word)) return false;
  const std::uint16_t rows = g.shape_of(targets)[0];
  const node& lengths = g.nodes[of_rows.id];
  if (lengths.type == element::i32 && lengths.shape.rank == 1 && lengths.shape[0] == rows) return true;
  g.fail(361, at, word, ": expected .lengths as int32 [", g.dim_of(rows), "], found ", name_of(lengths.type),
         " ", of_rows);
  return false;
}

/// Whether targets are int32 [B, S], for logits of that rank whose first axis is B.
constexpr bool labels_of_rows(expr targets, expr logits, int rank) {
  const graph& g = *logits.owner;
  const node& labels = g.nodes[targets.id];
  return logits.rank() == rank && labels.type == element::i32 && labels.shape.rank == 2 &&
         labels.shape[0] == g.shape_of(logits)[0];
}

/// What a ctc_loss takes; false after an error.
constexpr bool ctc_fits(expr logits, expr targets, const ctc_options& options, const char* word,
                        source_place at) {
  if (!logits_come_first(logits, targets, word, at)) return false;
  graph& g = *logits.owner;
  const std::int64_t classes = width_of(logits, at, word);
  if (classes == 0) return false;
  if (!labels_of_rows(targets, logits, 3)) {
    g.fail(359, at, word,
           ": expected float32 logits [batch, frames, classes] and int32 targets [batch, labels], found ",
           logits, " and ", name_of(g.nodes[targets.id].type), " ", targets);
    return false;
  }
  return transcript_fits(targets, classes, options.blank, options.lengths, word, at);
}

/// How many labels each row of targets [B, S] has before its blanks: [B]. By a table, so that a target that is no class is
/// refused before a call runs.
constexpr expr label_count(expr targets, dim classes, int blank) {
  const expr is_label = gather(to_float(range(targets, classes) != blank), targets);
  return max_over(is_label * (1 + to_float(range(targets, targets.size(1)))), axis(1));
}

/// What stands for the logarithm of 0: finite, so that differences of two are no NaN.
inline constexpr double log_of_zero = -1e30;

/// The losses of rows [B] as one, each divided by `by` where that is given: a row that is impossible counts as 0. With `.each`
/// [B], where it is infinity.
template <class Options>
constexpr expr one_loss(expr of_rows, const Options& options, expr by = {}) {
  const expr possible = of_rows < -log_of_zero / 2;
  if (options.each) return where(possible, of_rows, std::numeric_limits<double>::infinity());
  const expr counted = where(possible, of_rows, 0.0);
  if (!options.average) return sum(counted, axis(0));
  return mean(by.owner == nullptr ? counted : counted / by, axis(0));
}

} // namespace detail

/// Connectionist temporal classification (Graves et al. 2006): -log of the probability that the frames say the
/// labels, each frame a class of its own and the blank between labels, by the softmax of the logits. All ways
/// of saying them are added up, by the forward variables of equations 6 and 7 as logarithms.
/// logits [B, T, classes], targets [B, S] of int32, a row's labels first and blanks behind them -> [], or [B]
/// with `.each`. A row with fewer frames than its labels need is left out: 0. They need one each, and one
/// between two that are the same.
constexpr expr ctc_loss(expr logits, expr targets, ctc_options options = {},
                        source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  constexpr const char* word = "ctc_loss";
  if (!detail::ctc_fits(logits, targets, options, word, at)) return {logits.owner};
  const reported_at user(logits, at.as(word));
  using detail::log_of_zero;
  const dim rows = logits.size(0), frames = logits.size(1), classes = logits.size(2),
            labels = targets.size(1), places = 2 * labels + 1;
  const int blank = options.blank;

  const expr count = detail::label_count(targets, classes, blank);
  // A blank before, between and behind the labels: [B, 2 S + 1].
  const expr between = reshape(stack(2, 0 * targets + blank, targets), {rows, 2 * labels});
  const expr said = pad(between, axis(1), 0, 1, blank);
  // A label may follow another label at once if it is another one.
  const expr follows_label =
      said != blank && said != slice(pad(said, axis(1), 2, 0, blank), axis(1), 0, places);

  // Of each frame the probability of what is said at each place.
  const expr at_places =
      take_along(log_softmax(logits), broadcast(unsqueeze(said, 1), {rows, frames, places}),
                 axis(2)); // [B, T, 2 S + 1]

  const auto before = [&](expr x, int places_before) {
    return slice(pad(x, axis(1), places_before, 0, log_of_zero), axis(1), 0, places);
  };
  const expr place = range(logits, places);
  const expr first = where(place == 0, 0.0, log_of_zero) + to_float(0 * said);
  const expr last =
      scan(at_places, first,
           [&](expr x, expr stays) {
             const expr next = before(stays, 1), skips = where(follows_label, before(stays, 2), log_of_zero);
             const expr most = stop_gradient(max(stays, max(next, skips)));
             const expr all = log(exp(stays - most) + exp(next - most) + exp(skips - most)) + most;
             return scan_step{all + x, all + x};
           },
           {.lengths = options.lengths})
          .state;

  // At the end the last label has been said, or the blank behind it.
  const expr behind = unsqueeze(2 * count, 1) - to_float(place);
  const expr loss = -log_sum_exp(where(behind == 0.0 || behind == 1.0, last, log_of_zero), axis(1));
  return detail::one_loss(loss, options, max(count, 1.0));
}

/// Lengths as other libraries take them.
__attribute__((unavailable(
    "lengths are an option, as in ctc_loss(logits, targets, {.lengths = frames}), and blanks stand "
    "behind the labels of a row [F0372]"))) constexpr expr
ctc_loss(expr logits, expr, expr, expr) {
  return logits;
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::ctc_loss, core::ctc_options;
} // namespace fovea
