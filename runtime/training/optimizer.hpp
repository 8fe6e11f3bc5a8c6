#pragma once

#include <cstddef>
#include <cstdint>

#include <fovea/backends/optimizer.hpp>

namespace fovea::core {

/// How gradients change parameters. An optimizer is a plain struct of its numbers with
///   moments             how many numbers it keeps for each parameter
///   update(u)           one step for a run of parameters
///   name                which checkpoints tell it by; may be left out
/// and PyTorch's meanings: `weight_decay` adds decay * parameter to the gradient (adamw takes it off the
/// parameter instead).
struct parameter_update {
  std::size_t count = 0;
  float* values = nullptr;
  const float* gradients = nullptr;
  float* moments[2] = {};               // zeros before the first step
  std::int64_t step = 1;                // counted from 1
  double rate_factor = 1;               // of the schedule
  double gradient_factor = 1;           // of clipping and accumulation
  void (&apply)(const optimizer_args&); // a rule, by the backend that trains
};

/// Stochastic gradient descent, with momentum (Polyak 1964) or Nesterov's (Sutskever et al. 2013).
struct sgd {
  double rate = 1e-2;
  double momentum = 0;
  bool nesterov = false;
  double weight_decay = 0;

  static constexpr const char* name = "sgd";
  static constexpr int moments = 1;
  static constexpr const char* moment_names[] = {"momentum"};
  void update(const parameter_update& u) const;
};

/// Duchi et al. 2011.
struct adagrad {
  double rate = 1e-2;
  double epsilon = 1e-10;
  double weight_decay = 0;

  static constexpr const char* name = "adagrad";
  static constexpr int moments = 1;
  static constexpr const char* moment_names[] = {"squares"};
  void update(const parameter_update& u) const;
};

/// Hinton 2012, "Neural Networks for Machine Learning", lecture 6.
struct rmsprop {
  double rate = 1e-2;
  double alpha = 0.99;
  double epsilon = 1e-8;
  double weight_decay = 0;

  static constexpr const char* name = "rmsprop";
  static constexpr int moments = 1;
  static constexpr const char* moment_names[] = {"squares"};
  void update(const parameter_update& u) const;
};

/// Adam (Kingma and Ba 2015); decoupled: with the decay taken off the parameters (Loshchilov and Hutter
/// 2019).
template <bool decoupled>
struct adam_of {
  double rate = 1e-3;
  double beta1 = 0.9, beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = decoupled ? 1e-2 : 0;

  static constexpr const char* name = decoupled ? "adamw" : "adam";
  static constexpr int moments = 2;
  static constexpr const char* moment_names[] = {"mean", "squares"};
  void update(const parameter_update& u) const;
};
using adam = adam_of<false>;
using adamw = adam_of<true>;

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::adagrad, core::adam, core::adamw, core::rmsprop, core::sgd;
} // namespace fovea
