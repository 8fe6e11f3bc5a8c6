#pragma once

#include <fovea/dsl/norm.hpp>
#include <fovea/dsl/reduce.hpp>

namespace fovea::core {

struct cross_entropy_options {
  int ignore = -100;    // positions with this target do not count
  double smoothing = 0; // the share of the target's probability that is spread over all classes
  bool average = true;  // false: the sum
  bool each = false;    // the loss of each target apart, 0 of one that does not count
};

namespace detail {

/// All elements in one axis.
constexpr expr flat(expr x, source_place at) {
  if (!x.valid()) return x;
  shape s;
  s.push(x.owner->intern(elements_of(*x.owner, x.owner->shape_of(x))));
  return reshape_to(x, s, at);
}

} // namespace detail

struct loss_options {
  bool average = true; // false: the sum
  bool each = false;   // each apart, neither averaged nor added up
};

namespace detail {

/// What is asked of losses.
constexpr expr reduced(expr losses, loss_options options, source_place at) {
  if (options.each) return losses;
  const expr all = flat(losses, at);
  return options.average ? mean(all, axis(0), {}, at) : sum(all, axis(0), {}, at);
}

/// Whether logits are [batch, classes, ...] beside targets [batch, ...], as PyTorch has them.
constexpr bool has_classes_second(const shape& logits, const shape& targets) {
  if (targets.rank < 2 || logits.rank != targets.rank + 1 || logits[0] != targets[0]) return false;
  bool second = true, last = true;
  for (int axis = 1; axis < targets.rank; ++axis) {
    second = second && logits[axis + 1] == targets[axis];
    last = last && logits[axis] == targets[axis];
  }
  return second && !last;
}

/// Whether a loss may compare the two: float32 of one shape.
constexpr bool comparable(expr x, expr y, const char* word, source_place at) {
  if (!is_float(x, at, word) || !x.owner->usable(y, at, word) || !is_float(y, at, word)) return false;
  graph& g = *x.owner;
  if (g.shape_of(x) == g.shape_of(y)) return true;
  g.fail(203, at, word, ": cannot compare ", x, " and ", y, "; their shapes must be equal");
  return false;
}

} // namespace detail

/// -log of the probability that softmax(logits) gives each target, averaged over the targets that count:
/// logits [..., classes], targets [...] of int32 -> [], or [...] with `.each`. With smoothing s the target
/// has probability 1 - s + s / classes (Szegedy et al. 2016, section 7). Where no target counts: 0. A target
/// is 0 to classes - 1, or `ignore`, to which an input is held before a call runs. One that the model
/// computes and that is neither counts in the average, its class having no probability to lose: 0, smoothing
/// apart.
constexpr expr cross_entropy(expr logits, expr targets, cross_entropy_options options = {},
                             source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  constexpr const char* word = "cross_entropy";
  if (logits.owner != nullptr && logits.owner->usable(logits, at, word) &&
      logits.owner->usable(targets, at, word) && logits.owner->nodes[logits.id].type == element::i32 &&
      logits.owner->nodes[targets.id].type == element::f32)
    return logits.owner->fail(204, at, word, ": the logits come first, then the targets; found int32 ",
                              logits, " and float32 ", targets);
  if (!detail::is_float(logits, at, word) || !logits.owner->usable(targets, at, word)) return {logits.owner};
  graph& g = *logits.owner;
  if (detail::has_classes_second(g.shape_of(logits), g.shape_of(targets)))
    return g.fail(398, at, word, ": the classes of ", logits, " are axis 1 beside targets ", targets,
                  "; expected them in the last axis, where permute sets them");
  const std::int64_t classes = detail::width_of(logits, at, word);
  if (classes == 0) return {&g};
  if (g.nodes[targets.id].type != element::i32)
    return g.fail(205, at, word, ": expected int32 targets, found ", name_of(g.nodes[targets.id].type), " ",
                  targets);
  shape leading = g.shape_of(logits);
  --leading.rank;
  if (!(leading == g.shape_of(targets)))
    return g.fail(206, at, word, ": logits ", logits, " and targets ", targets,
                  " do not fit; expected targets ", leading);
  if (!(options.smoothing >= 0 && options.smoothing < 1))
    return g.fail(207, at, word, ": expected a smoothing of at least 0 and below 1, found ",
                  options.smoothing);

  const reported_at user(logits, at.as(word));
  //   cross_entropy  operands: logits, targets
  const expr loss = g.add({.kind = op::cross_entropy,
                           .shape = leading,
                           .settings = {.loss = {options.ignore, options.smoothing}},
                           .at = at},
                          logits, targets);
  const expr counts = targets != options.ignore;
  const expr counted = where(counts, loss, 0.0);
  if (options.each) return counted;
  const expr total = sum(detail::flat(counted, at), axis(0));
  if (!options.average) return total;
  return total / max(sum(detail::flat(to_float(counts), at), axis(0)), 1.0);
}

/// The mean of (x - y)^2 over all elements: two values of one shape -> [].
constexpr expr mse(expr x, expr y, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (!detail::comparable(x, y, "mse", at)) return {x.owner};
  const reported_at user(x, at.as("mse"));
  const expr difference = x - y;
  return detail::reduced(difference * difference, {}, at);
}

struct huber_options {
  double delta = 1;    // the distance from which the loss grows as the distance
  bool average = true; // false: the sum
  bool each = false;   // of each element apart
};

/// d^2 / 2 of a distance d = |x - y| up to delta, beyond it delta (d - delta / 2), averaged over all elements
/// (Huber 1964): two values of one shape -> [], or that shape with `.each`.
constexpr expr huber(expr x, expr y, huber_options options = {},
                     source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (!detail::comparable(x, y, "huber", at)) return {x.owner};
  if (!(options.delta > 0 && is_finite(options.delta)))
    return x.owner->fail(208, at, "huber: expected a finite delta above 0, found ", options.delta);
  const reported_at user(x, at.as("huber"));
  const expr distance = abs(x - y), near = min(distance, options.delta);
  return detail::reduced(near * (distance - 0.5 * near), {options.average, options.each}, at);
}

/// -log of the probability that sigmoid(logits) gives each target, which is the probability of "yes", 0 to 1:
/// y softplus(-x) + (1 - y) softplus(x), averaged over all elements. Two float32 values of one shape -> [],
/// or that shape with `.each`.
constexpr expr binary_cross_entropy(expr logits, expr targets, loss_options options = {},
                                    source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (!detail::comparable(logits, targets, "binary_cross_entropy", at)) return {logits.owner};
  const reported_at user(logits, at.as("binary_cross_entropy"));
  return detail::reduced(targets * softplus(-logits) + (1 - targets) * softplus(logits), options, at);
}

/// How far the distributions q of the last axis, given as log q, are from the targets p: the sum of p (log p
/// - log q), averaged over the rows (Kullback and Leibler 1951). Two float32 values [..., classes] -> [], or
/// [...] with `.each`. Where p is 0 it adds nothing.
constexpr expr kl_divergence(expr log_probabilities, expr targets, loss_options options = {},
                             source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  constexpr const char* word = "kl_divergence";
  if (!detail::comparable(log_probabilities, targets, word, at)) return {log_probabilities.owner};
  graph& g = *log_probabilities.owner;
  if (targets.rank() == 0)
    return g.fail(209, at, word, ": expected classes in the last axis, found a single number []");
  const reported_at user(log_probabilities, at.as(word));
  const expr possible = targets > 0;
  const expr difference = log(where(possible, targets, 1.0)) - where(possible, log_probabilities, 0.0);
  return detail::reduced(sum(targets * difference, axis(-1)), options, at);
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::binary_cross_entropy, core::cross_entropy, core::cross_entropy_options, core::huber,
    core::huber_options, core::kl_divergence, core::loss_options, core::mse;
} // namespace fovea
