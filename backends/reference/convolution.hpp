#pragma once

#include <fovea/backends/reference/array.hpp>
#include <fovea/dsl/sliding_window.hpp>

namespace fovea::core::reference_ops {

/// y[.., p, o] = bias[o] + sum over windows' places k and features i of the group of W[o, i, k] x[.., p *
/// stride + k * dilation - before, i]. x [..., (H,) T, in], weight [out, in / groups, (kh,) kw], bias [out]
/// or null; `shape` is the result's.
array convolution(const array& x, const array& weight, const array* bias, const sliding_window& window,
                  const array_shape& shape);

/// Each x[.., p, i] W[i, o, k] added to y[.., p * stride + k * dilation - before, o of the group]. Weight
/// [in, out / groups, (kh,) kw].
array transposed_convolution(const array& x, const array& weight, const array* bias,
                             const sliding_window& window, const array_shape& shape);

/// The largest value, or the mean, of what each window sees of each feature. With `count_padding` the padding
/// counts as zeros in means.
array max_pool(const array& x, const sliding_window& window, const array_shape& shape);
array avg_pool(const array& x, const sliding_window& window, bool count_padding, const array_shape& shape);

/// The gradient of a convolution's weight: dW[o, i, k] = sum over places p of dy[p, o] x[p * stride + k *
/// dilation - before, i]; `shape` is the weight's.
array convolution_weight_gradient(const array& x, const array& dy, const sliding_window& window,
                                  const array_shape& shape);

/// The gradients of max_pool and avg_pool with respect to x, whose shape is given for means: the largest of a
/// window, the first of equals, gets what came of its place; all that a mean counts share it.
array max_pool_gradient(const array& x, const array& dy, const sliding_window& window);
array avg_pool_gradient(const array& dy, const sliding_window& window, bool count_padding,
                        const array_shape& shape);

} // namespace fovea::core::reference_ops
