#pragma once

#include <vector>

#include <fovea/backends/reference/array.hpp>
#include <fovea/backends/scalar_function.hpp>

namespace fovea::core::reference_ops {

/// A score or mask lambda with the tables that it captured.
struct lambda {
  const scalar_function* function = nullptr;
  std::vector<const array*> tables;
};

/// What attention is told besides query, key and value.
struct attention_call {
  std::size_t heads = 1, kv_heads = 1;
  double scale = 1;
  double soft_cap = 0;         // 0: none
  const array* bias = nullptr; // broadcasts to [batch, heads, queries, keys]
  lambda score, mask;          // without a function: the scaled product as it is; every key visible
};

/// The weights that each query gives each key: query [B, queries, heads * d], key [B, keys, kv_heads * d] ->
/// [B, heads, queries, keys].
///
///   s = scale * (q . k)       (Vaswani et al. 2017, eq. 1)
///   s = s + bias              where there is one
///   s = c tanh(s / c)         where there is a soft cap c (Gemma team 2024, section 2)
///   s = score lambda (s)      where there is one
///   s = -infinity             where the mask hides the key
///   weights = softmax of s over the keys; zeros in a row that sees no key
///
/// Heads lie side by side in the features; query head h reads key head h / (heads / kv_heads). Query i sits
/// at position keys - queries + i, whichever are more. The score lambda runs on visible keys alone, so its
/// tables need no entries for the others.
array attention_weights(const array& query, const array& key, const attention_call& call);

/// The weighted mean of the values: value [B, keys, kv_heads * e] -> [B, queries, heads * e].
array attention(const array& query, const array& key, const array& value, const attention_call& call);

/// The gradients of `attention` without bias, cap and score lambda, given that of its result, d: those of
/// query, key and value, one behind the other. With P the weights:
///
///   dv = P^T d,  dP = d v^T,  ds = P (dP - sum over keys of dP P),  dq = scale ds k,  dk = scale ds^T q
array attention_gradient(const array& query, const array& key, const array& value, const array& d,
                         const attention_call& call);

} // namespace fovea::core::reference_ops
