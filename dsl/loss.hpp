#pragma once

#include <fovea/dsl/norm.hpp>
#include <fovea/dsl/reduce.hpp>

namespace fovea::core {

struct cross_entropy_options {
  int ignore = -100;    // positions with this target do not count
  double smoothing = 0; // the share of the target's probability that is spread over all classes
  bool average = true;  // false: the sum
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

/// -log of the probability that softmax(logits) gives each target, averaged over the targets that count:
/// logits [..., classes], targets [...] of int32 -> []. With smoothing s the target has probability 1 - s + s
/// / classes (Szegedy et al. 2016, section 7). Where no target counts: 0. A target is 0 to classes - 1, or
/// `ignore`, to which an input is held before a call runs. One that the model computes and that is neither
/// counts in the average, its class having no probability to lose: 0, smoothing apart.
constexpr expr cross_entropy(expr logits, expr targets, cross_entropy_options options = {},
                             source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  constexpr const char* word = "cross_entropy";
  if (logits.owner != nullptr && logits.owner->usable(logits, at, word) &&
      logits.owner->usable(targets, at, word) && logits.owner->nodes[logits.id].type == element::i32 &&
      logits.owner->nodes[targets.id].type == element::f32)
    return logits.owner->fail(at, word, ": the logits come first, then the targets; found int32 ", logits,
                              " and float32 ", targets);
  if (!detail::is_float(logits, at, word) || !logits.owner->usable(targets, at, word)) return {logits.owner};
  graph& g = *logits.owner;
  const std::int64_t classes = detail::width_of(logits, at, word);
  if (classes == 0) return {&g};
  if (g.nodes[targets.id].type != element::i32)
    return g.fail(at, word, ": expected int32 targets, found ", name_of(g.nodes[targets.id].type), " ",
                  targets);
  shape leading = g.shape_of(logits);
  --leading.rank;
  if (!(leading == g.shape_of(targets)))
    return g.fail(at, word, ": logits ", logits, " and targets ", targets, " do not fit; expected targets ",
                  leading);
  if (!(options.smoothing >= 0 && options.smoothing < 1))
    return g.fail(at, word, ": expected a smoothing of at least 0 and below 1, found ", options.smoothing);

  const reported_at user(logits, at.as(word));
  //   cross_entropy  operands: logits, targets; attributes: the target to ignore; number: the smoothing
  const expr loss = g.add({.kind = op::cross_entropy,
                           .shape = leading,
                           .attributes = {options.ignore},
                           .number = options.smoothing,
                           .at = at},
                          logits, targets);
  const expr counts = targets != options.ignore;
  const expr total = sum(detail::flat(where(counts, loss, 0.0), at), axis(0));
  if (!options.average) return total;
  return total / max(sum(detail::flat(to_float(counts), at), axis(0)), 1.0);
}

/// The mean of (x - y)^2 over all elements: two values of one shape -> [].
constexpr expr mse(expr x, expr y, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (!detail::is_float(x, at, "mse") || !x.owner->usable(y, at, "mse") || !detail::is_float(y, at, "mse"))
    return {x.owner};
  graph& g = *x.owner;
  if (!(g.shape_of(x) == g.shape_of(y)))
    return g.fail(at, "mse: cannot compare ", x, " and ", y, "; their shapes must be equal");
  const reported_at user(x, at.as("mse"));
  const expr difference = x - y;
  return mean(detail::flat(difference * difference, at), axis(0));
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::cross_entropy, core::cross_entropy_options, core::mse;
} // namespace fovea
