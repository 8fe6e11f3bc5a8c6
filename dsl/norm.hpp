#pragma once

#include <fovea/dsl/shape_words.hpp>

namespace fovea {

struct norm_options {
  double epsilon = 1e-5;
  bool bias = true;
  bool affine = true; // false: no parameters at all
};

namespace detail {

constexpr expr norm(op kind, expr x, const char* name, norm_options options, place at) {
  if (x.owner == nullptr || !x.owner->usable(x, at, word_of(kind)) || !is_float(x, at, word_of(kind))) return {x.owner};
  graph& g = *x.owner;
  const std::int64_t width = width_of(x, at, word_of(kind), name);
  if (width == 0) return {&g};
  if (!(options.epsilon >= 0)) return g.fail(at, word_of(kind), " \"", graph::scoped{name}, "\": epsilon is below 0");
  const node made{.kind = kind, .shape = g.shape_of(x), .number = options.epsilon, .at = at};
  if (!options.affine) return g.add(made, x);
  const scope inside(&g, name, scope_name::no_index, at);
  const expr weight = parameter(x, "weight", {width}, init::ones(), at);
  if (!weight.valid()) return {&g};
  if (!options.bias) return g.add(made, x, weight);
  const expr bias = parameter(x, "bias", {width}, init::zeros(), at);
  if (!bias.valid()) return {&g};
  return g.add(made, x, weight, bias);
}

} // namespace detail

/// (x - mean) / sqrt(variance + epsilon) * weight + bias over the last axis (Ba et al. 2016). Makes name.weight and
/// name.bias [width].
constexpr expr layer_norm(expr x, const char* name, norm_options options = {}, place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::norm(op::layer_norm, x, name, options, at);
}

struct rms_norm_options {
  double epsilon = 1e-5;
};

/// x / sqrt(mean of x^2 + epsilon) * weight over the last axis (Zhang and Sennrich 2019). Makes name.weight [width].
constexpr expr rms_norm(expr x, const char* name, rms_norm_options options = {}, place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::norm(op::rms_norm, x, name, {.epsilon = options.epsilon, .bias = false}, at);
}

/// (x - running_mean) / sqrt(running_var + epsilon) * weight + bias for each feature of the last axis, with the statistics
/// gathered in training (Ioffe and Szegedy 2015). Makes name.weight, name.bias, name.running_mean, name.running_var [width].
constexpr expr batch_norm(expr x, const char* name, norm_options options = {}, place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (x.owner == nullptr || !x.owner->usable(x, at, "batch_norm") || !detail::is_float(x, at, "batch_norm")) return {x.owner};
  graph& g = *x.owner;
  const std::int64_t width = detail::width_of(x, at, "batch_norm", name);
  if (width == 0) return {&g};
  const scope inside(&g, name, scope_name::no_index, at);
  const expr weight = parameter(x, "weight", {width}, init::ones(), at), bias = parameter(x, "bias", {width}, init::zeros(), at);
  const expr mean = parameter(x, "running_mean", {width}, init::zeros(), at);
  const expr variance = parameter(x, "running_var", {width}, init::ones(), at);
  if (!variance.valid()) return {&g};
  return g.add({.kind = op::batch_norm, .shape = g.shape_of(x), .number = options.epsilon, .at = at}, x, weight, bias, mean, variance);
}

/// Normalises each of `groups` groups of features over the group and all axes but the first (Wu and He 2018):
/// [B, ..., width]. Makes name.weight and name.bias [width].
constexpr expr group_norm(expr x, const char* name, int groups, norm_options options = {},
                          place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (x.owner == nullptr || !x.owner->usable(x, at, "group_norm") || !detail::is_float(x, at, "group_norm")) return {x.owner};
  graph& g = *x.owner;
  const std::int64_t width = detail::width_of(x, at, "group_norm", name);
  if (width == 0) return {&g};
  if (groups < 1 || width % groups != 0)
    return g.fail(at, "group_norm \"", graph::scoped{name}, "\": ", groups, " groups do not divide the ", width, " features of ", x);
  const expr made = detail::norm(op::group_norm, x, name, options, at);
  if (made.valid()) g.nodes[made.id].attributes[0] = groups;
  return made;
}

namespace detail {

constexpr expr along(op kind, expr x, const axis& where, place at) {
  if (x.owner == nullptr || !x.owner->usable(x, at, word_of(kind)) || !is_float(x, at, word_of(kind))) return {x.owner};
  const int i = find_axis(x, where, at, word_of(kind));
  if (i < 0) return {x.owner};
  return x.owner->add({.kind = kind, .shape = x.owner->shape_of(x), .attributes = {i}, .at = at}, x);
}

} // namespace detail

/// exp(x) / sum of exp(x) over an axis, by default the last.
constexpr expr softmax(expr x, axis where = axis(-1), place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::along(op::softmax, x, where, at);
}
/// x - log of the sum of exp(x) over an axis, by default the last.
constexpr expr log_softmax(expr x, axis where = axis(-1), place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::along(op::log_softmax, x, where, at);
}

} // namespace fovea
