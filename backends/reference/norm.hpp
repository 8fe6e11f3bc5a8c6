#pragma once

#include <fovea/backends/reference/array.hpp>

namespace fovea::core::reference_ops {

// weight and bias [width] may be null: then nothing is multiplied, nothing added.

/// (x - mean) / sqrt(variance + epsilon) * weight + bias over the last axis, the variance being the mean
/// squared difference from the mean (Ba, Kiros and Hinton 2016, eq. 4).
array layer_norm(const array& x, const array* weight, const array* bias, double epsilon);

/// x / sqrt(mean of x^2 + epsilon) * weight over the last axis (Zhang and Sennrich 2019, eq. 4).
array rms_norm(const array& x, const array* weight, const array* bias, double epsilon);

/// The gradients of layer_norm (`centred`) or rms_norm with respect to x, weight and bias, one behind the
/// other, d being that of the result.
array norm_gradient(const array& x, const array& d, const array* weight, bool centred, double epsilon);

/// (x - mean) / sqrt(variance + epsilon) * weight + bias, all four [width], the last axis (Ioffe and Szegedy
/// 2015, algorithm 2).
array batch_norm(const array& x, const array& weight, const array& bias, const array& mean,
                 const array& variance, double epsilon);

/// layer_norm over each of `groups` groups of features and all axes between the first and the last: x [B,
/// ..., width] (Wu and He 2018, eq. 7).
array group_norm(const array& x, const array* weight, const array* bias, std::size_t groups, double epsilon);

/// exp(x) / sum of exp(x) along an axis; zeros where every x is -infinity.
array softmax(const array& x, std::size_t axis);

/// x - log of the sum of exp(x) along an axis.
array log_softmax(const array& x, std::size_t axis);

} // namespace fovea::core::reference_ops
