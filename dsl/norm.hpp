#pragma once

#include <fovea/dsl/shape_words.hpp>

namespace fovea::core {

/// The axes that a norm acts over: .axes = {H, W, C} or {axis(1), axis(2)}; none: the last.
struct axis_list {
  axis list[shape::max_rank] = {};
  int count = 0;

  constexpr axis_list() = default;
  constexpr axis_list(std::initializer_list<axis> axes) {
    for (const axis& each : axes) {
      if (count < shape::max_rank) list[count] = each;
      ++count;
    }
  }
};

struct norm_options {
  double epsilon = 1e-5;
  bool bias = true;
  bool affine = true; // false: no parameters at all
  axis_list axes = {};
};

namespace detail {

/// The order of axes that brings the named ones to the end, in the order they are named; their number, or -1
/// after an error.
constexpr int named_last(expr x, const axis_list& axes, int (&order)[shape::max_rank], source_place at,
                         const graph::named& who) {
  graph& g = *x.owner;
  const int rank = x.rank(), count = axes.count == 0 ? 1 : axes.count;
  if (count > rank) {
    g.fail(98, at, who, ": ", count, " axes are named, and ", x, " has ", rank);
    return -1;
  }
  bool named[shape::max_rank] = {};
  for (int i = 0; i < count; ++i) {
    const int k = find_axis(x, axes.count == 0 ? axis(-1) : axes.list[i], at, who);
    if (k < 0) return -1;
    if (named[k]) {
      g.fail(99, at, who, ": axis ", k, " of ", x, " is named twice");
      return -1;
    }
    named[k] = true;
    order[rank - count + i] = k;
  }
  for (int k = 0, n = 0; k < rank; ++k)
    if (!named[k]) order[n++] = k;
  return count;
}

// Over other axes than the last: these come last and become one, and everything goes back.
constexpr expr norm(op kind, expr x, const name_text& name, const norm_options& options, source_place at) {
  const graph::named who{word_of(kind), name};
  at = at.as(who.word);
  if (!is_float(x, at, who)) return {x.owner};
  graph& g = *x.owner;
  if (x.rank() == 0)
    return g.fail(100, at, who, ": expected features in the last axis, found a single number []");
  if (!(options.epsilon >= 0 && is_finite(options.epsilon)))
    return g.fail(101, at, who, ": expected a finite epsilon of at least 0, found ", options.epsilon);
  int order[shape::max_rank] = {}, back[shape::max_rank] = {};
  const int rank = x.rank(), count = named_last(x, options.axes, order, at, who);
  if (count < 0) return {&g};
  for (int i = 0; i < rank; ++i) back[order[i]] = i;

  const expr moved = permute_axes(x, order, at);
  const shape apart = g.shape_of(moved);
  shape joint = apart, parameters, width;
  dim features = 1;
  for (int i = rank - count; i < rank; ++i) {
    if (!g.is_number(apart[i]))
      return g.fail(102, at, who, ": the axis ", g.dim_of(apart[i]), " of ", x,
                    " is known only at run time; expected a number of features");
    features = features * g.dim_of(apart[i]);
    parameters.push(apart[i]);
  }
  joint.rank = static_cast<std::uint8_t>(rank - count);
  joint.push(g.intern(features));
  width.push(joint[-1]);

  const node made{.kind = kind, .shape = joint, .settings = {.norm = {.epsilon = options.epsilon}}, .at = at};
  const expr flat = reshape_to(moved, joint, at);
  expr normed;
  if (options.affine) {
    const scope inside(&g, name, scope_name::no_index, at);
    const expr weight = reshape_to(g.add_parameter("weight", parameters, init::ones(), at), width, at);
    const expr bias = options.bias
                          ? reshape_to(g.add_parameter("bias", parameters, init::zeros(), at), width, at)
                          : expr{&g};
    if (!g.error.empty()) return {&g};
    normed = options.bias ? g.add(made, flat, weight, bias) : g.add(made, flat, weight);
  } else {
    normed = g.add(made, flat);
  }
  return permute_axes(reshape_to(normed, apart, at), back, at);
}

} // namespace detail

/// (x - mean) / sqrt(variance + epsilon) * weight + bias over the last axis, or .axes together (Ba et al.
/// 2016). Makes name.weight and name.bias [width], or of the named axes' sizes in their order.
constexpr expr layer_norm(expr x, const name_text& name, norm_options options = {},
                          source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::norm(op::layer_norm, x, name, options, at);
}

struct rms_norm_options {
  double epsilon = 1e-5;
  axis_list axes = {};
};

/// x / sqrt(mean of x^2 + epsilon) * weight over the last axis, or .axes together (Zhang and Sennrich
/// 2019). Makes name.weight [width].
constexpr expr rms_norm(expr x, const name_text& name, rms_norm_options options = {},
                        source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::norm(op::rms_norm, x, name,
                      {.epsilon = options.epsilon, .bias = false, .axes = options.axes}, at);
}

struct batch_norm_options {
  double epsilon = 1e-5;
  double momentum = 0.1; // how much of a batch's statistics training takes over
};

/// (x - running_mean) / sqrt(running_var + epsilon) * weight + bias for each feature of the last axis, with
/// the statistics gathered in training (Ioffe and Szegedy 2015). While training, the mean and variance of the
/// batch take their place, and they become running (1 - momentum) + batch momentum, with the unbiased
/// variance. Makes name.weight, name.bias, name.running_mean, name.running_var [width].
constexpr expr batch_norm(expr x, const name_text& name, batch_norm_options options = {},
                          source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const graph::named who{"batch_norm", name};
  if (!detail::is_float(x, at, who)) return {x.owner};
  graph& g = *x.owner;
  const std::int64_t width = detail::width_of(x, at, who);
  if (width == 0) return {&g};
  if (!(options.epsilon >= 0 && is_finite(options.epsilon)))
    return g.fail(103, at, who, ": expected a finite epsilon of at least 0, found ", options.epsilon);
  if (!(options.momentum >= 0 && options.momentum <= 1))
    return g.fail(104, at, who, ": expected a momentum of 0 to 1, found ", options.momentum);
  const scope inside(&g, name, scope_name::no_index, at);
  const expr weight = parameter(x, "weight", {width}, init::ones(), at);
  const expr bias = parameter(x, "bias", {width}, init::zeros(), at);
  const expr mean = parameter(x, "running_mean", {width}, init::zeros(), at);
  const expr variance = parameter(x, "running_var", {width}, init::ones(), at);
  return g.add({.kind = op::batch_norm,
                .shape = g.shape_of(x),
                .settings = {.norm = {.epsilon = options.epsilon, .momentum = options.momentum}},
                .at = at},
               x, weight, bias, mean, variance);
}

struct group_norm_options {
  double epsilon = 1e-5;
  bool affine = true; // false: no parameters
};

/// Normalises each of `groups` groups of features over the group and all axes but the first (Wu and He 2018):
/// [B, ..., width]. Makes name.weight and name.bias [width].
constexpr expr group_norm(expr x, const name_text& name, int groups, group_norm_options options = {},
                          source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const graph::named who{"group_norm", name};
  if (!detail::is_float(x, at, who)) return {x.owner};
  graph& g = *x.owner;
  if (x.rank() < 2) return g.fail(105, at, who, ": expected [batch, ..., features], found ", x);
  const std::int64_t width = detail::width_of(x, at, who);
  if (width == 0) return {&g};
  if (groups < 1 || width % groups != 0)
    return g.fail(106, at, who, ": ", groups, " groups do not divide the ", width, " features of ", x);
  const expr made =
      detail::norm(op::group_norm, x, name, {.epsilon = options.epsilon, .affine = options.affine}, at);
  if (made.valid()) g.nodes[made.id].settings.norm.groups = groups;
  return made;
}

/// Normalises each feature over all axes but the first (Ulyanov et al. 2016): a group_norm of groups of one.
/// [B, ..., width]. Makes name.weight and name.bias [width].
constexpr expr instance_norm(expr x, const name_text& name, group_norm_options options = {},
                             source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const graph::named who{"instance_norm", name};
  if (!detail::is_float(x, at, who)) return {x.owner};
  if (x.rank() < 3)
    return x.owner->fail(394, at, who, ": expected [batch, ..., features] with axes between, found ", x);
  const std::int64_t width = detail::width_of(x, at, who);
  if (width == 0) return {x.owner};
  const reported_at user(x, at.as(who.word));
  return group_norm(x, name, static_cast<int>(width), options);
}

/// exp(x) / sum of exp(x) over an axis, by default the last.
constexpr expr softmax(expr x, axis where = axis(-1),
                       source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::along(op::softmax, x, where, at);
}
/// x - log of the sum of exp(x) over an axis, by default the last.
constexpr expr log_softmax(expr x, axis where = axis(-1),
                           source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::along(op::log_softmax, x, where, at);
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::batch_norm, core::batch_norm_options, core::group_norm, core::group_norm_options,
    core::instance_norm, core::layer_norm, core::log_softmax, core::norm_options, core::rms_norm,
    core::rms_norm_options, core::softmax;
} // namespace fovea
