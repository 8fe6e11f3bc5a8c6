#pragma once

#include <fovea/backends/reference/array.hpp>
#include <fovea/dsl/sliding_window.hpp>

namespace fovea::reference_ops {

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

} // namespace fovea::reference_ops
