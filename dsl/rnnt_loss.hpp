#pragma once

#include <fovea/dsl/ctc_loss.hpp>
#include <fovea/dsl/select.hpp>

namespace fovea::core {

struct rnnt_options {
  expr lengths = {};   // int32 [B]: how many frames of each row count; all of them where not given
  int blank = 0;       // the class that moves on to the next frame
  bool average = true; // over the rows; false: the sum of the rows
  bool each = false;   // of each row apart, infinity where labels have no frame
};

namespace detail {

/// What an rnnt_loss takes; false after an error.
constexpr bool rnnt_fits(expr logits, expr targets, const rnnt_options& options, const char* word,
                         source_place at) {
  if (!logits_come_first(logits, targets, word, at)) return false;
  graph& g = *logits.owner;
  const std::int64_t classes = width_of(logits, at, word);
  if (classes == 0) return false;
  if (!labels_of_rows(targets, logits, 4)) {
    g.fail(395, at, word,
           ": expected float32 logits [batch, frames, labels + 1, classes] and int32 targets [batch, "
           "labels], found ",
           logits, " and ", name_of(g.nodes[targets.id].type), " ", targets);
    return false;
  }
  if (!(logits.size(2) == targets.size(1) + 1)) {
    g.fail(396, at, word, ": expected the logits of ", targets.size(1) + 1,
           " places, one before each label and one behind the last, found ", logits.size(2), " in ", logits);
    return false;
  }
  return transcript_fits(targets, classes, options.blank, options.lengths, word, at);
}

} // namespace detail

/// The loss of a transducer (Graves 2012): -log of the probability that the frames say the labels, by the softmax of the
/// logits. At frame t, u labels being said, a label leads to (t, u + 1) and the blank to (t + 1, u); all ways to the end of
/// the frames are added up, by the forward variables of equation 16 as logarithms, one diagonal t + u after the other.
/// logits [B, T, S + 1, classes], targets [B, S] of int32, a row's labels first and blanks behind them -> [], or [B] with
/// `.each`. A row with labels and no frame is left out: 0.
constexpr expr rnnt_loss(expr logits, expr targets, rnnt_options options = {},
                         source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  constexpr const char* word = "rnnt_loss";
  if (!detail::rnnt_fits(logits, targets, options, word, at)) return {logits.owner};
  const reported_at user(logits, at.as(word));
  using detail::log_of_zero;
  const dim rows = logits.size(0), frames = logits.size(1), places = logits.size(2), labels = targets.size(1),
            diagonals = frames + labels;
  const expr count = detail::label_count(targets, logits.size(3), options.blank);

  // At each frame and place, of the blank and of the next label: [B, T, S + 1].
  const expr log_p = log_softmax(logits);
  const auto at_places = [&](expr x) { return reshape(x, {rows, frames, places}); };
  const expr next = reshape(pad(targets, axis(1), 0, 1, options.blank), {rows, 1, places, 1});
  expr moves = at_places(slice(log_p, axis(3), options.blank, options.blank + 1));
  expr says = at_places(take_along(log_p, broadcast(next, {rows, frames, places, 1}), axis(3)));

  // Outside a row's frames it moves on for nothing, and says no label.
  if (options.lengths.owner != nullptr) {
    const expr heard = unsqueeze(range(logits, frames), 1) < reshape(options.lengths, {rows, 1, 1});
    moves = where(heard, moves, 0.0);
    says = where(heard, says, log_of_zero);
  }
  const expr frame = unsqueeze(range(logits, diagonals), 1) + reverse(range(logits, places), axis(0));
  const auto by_diagonal = [&](expr x, double outside) { // from [B, T, S + 1] to [B, T + S, S + 1]
    const expr beyond = broadcast(constant(x, outside), {rows, labels, places});
    return take_along(concat(axis(1), beyond, x, beyond), broadcast(frame, {rows, diagonals, places}),
                      axis(1));
  };

  const expr place = range(logits, places);
  const expr first = broadcast(where(place == 0, 0.0, log_of_zero), {rows, places});
  const expr last = scan(std::array{by_diagonal(moves, 0), by_diagonal(says, log_of_zero)}, first,
                         [&](std::array<expr, 2> now, expr before) {
                           const expr moved = before + now[0];
                           const expr said =
                               slice(pad(before + now[1], axis(1), 1, 0, log_of_zero), axis(1), 0, places);
                           const expr most = stop_gradient(max(moved, said));
                           const expr both = log(exp(moved - most) + exp(said - most)) + most;
                           return scan_step{both, both};
                         })
                        .state;

  const expr loss = -sum(where(unsqueeze(count, 1) == to_float(place), last, 0.0), axis(1));
  return detail::one_loss(loss, options);
}

/// Lengths as other libraries take them.
__attribute__((unavailable(
    "lengths are an option, as in rnnt_loss(logits, targets, {.lengths = frames}), and blanks stand "
    "behind the labels of a row [F0397]"))) constexpr expr
rnnt_loss(expr logits, expr, expr, expr) {
  return logits;
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::rnnt_loss, core::rnnt_options;
} // namespace fovea
