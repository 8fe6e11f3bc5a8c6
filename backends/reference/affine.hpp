#pragma once

#include <fovea/backends/reference/array.hpp>

namespace fovea::core::reference_ops {

/// x W^T + b over the last axis: x [..., in], weight [out, in], bias [out] or null -> [..., out].
array linear(const array& x, const array& weight, const array* bias);

/// Matrix product of the last two axes: a [..., m, k], b [..., k, n] -> [..., m, n]; leading axes broadcast.
array matmul(const array& a, const array& b);

/// The last two axes exchanged.
array transpose(const array& x);

/// Rows of a table by number: table [n, ...], ids [...] -> [ids..., ...]. Throws fovea::error where an id is
/// outside 0 .. n - 1.
array gather(const array& table, const array& ids, source_place at);

/// The gradient of gather: each of rows [ids..., ...] added to the row of a table that its id names; the
/// table has the given shape.
array scatter_add(const array& ids, const array& rows, const array_shape& shape);

} // namespace fovea::core::reference_ops
