#include <fovea/backends/reference/attention.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fovea/backends/reference/norm.hpp>

namespace fovea::core::reference_ops {

namespace {

/// [B, heads, queries, keys], each the product of a query and a key of the same head.
array products(const array& query, const array& key, std::size_t heads, std::size_t kv_heads) {
  const std::size_t batches = query.shape(0), queries = query.shape(1), keys = key.shape(1);
  const std::size_t query_width = query.shape(2), key_width = key.shape(2), width = query_width / heads;
  array s = filled({batches, heads, queries, keys}, 0);
  for (std::size_t b = 0; b < batches; ++b)
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t i = 0; i < queries; ++i)
        for (std::size_t j = 0; j < keys; ++j) {
          const double* q = query.data() + (b * queries + i) * query_width + h * width;
          const double* k = key.data() + (b * keys + j) * key_width + h / (heads / kv_heads) * width;
          double sum = 0;
          for (std::size_t d = 0; d < width; ++d) sum += q[d] * k[d];
          s(b, h, i, j) = sum;
        }
  return s;
}

/// What a lambda gives. A position outside a table reads its first or last.
double value_of(const lambda& l, const scalar_arguments& given) {
  return value_of(*l.function, given, [&](const scalar_node& n, const auto& position) {
    const array& table = *l.tables[static_cast<std::size_t>(n.capture)];
    std::size_t offset = 0;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(n.operand_count); ++axis) {
      const auto last = static_cast<std::int64_t>(table.shape(axis)) - 1;
      offset = offset * table.shape(axis) +
               static_cast<std::size_t>(std::clamp(position(static_cast<int>(axis)), std::int64_t{0}, last));
    }
    return table.data()[offset];
  });
}

} // namespace

array attention_weights(const array& query, const array& key, const attention_call& o) {
  array s = products(query, key, o.heads, o.kv_heads);
  const std::size_t batches = s.shape(0), queries = s.shape(2), keys = s.shape(3);
  const array bias = o.bias == nullptr ? filled(shape_of(s), 0) : array(xt::broadcast(*o.bias, s.shape()));
  for (std::size_t b = 0; b < batches; ++b)
    for (std::size_t h = 0; h < o.heads; ++h)
      for (std::size_t i = 0; i < queries; ++i)
        for (std::size_t j = 0; j < keys; ++j) {
          double& score = s(b, h, i, j);
          scalar_arguments given{.batch = static_cast<std::int64_t>(b),
                                 .head = static_cast<std::int64_t>(h),
                                 .query =
                                     static_cast<std::int64_t>(keys + i) - static_cast<std::int64_t>(queries),
                                 .key = static_cast<std::int64_t>(j)};
          if (o.mask.function != nullptr && value_of(o.mask, given) == 0) {
            score = -std::numeric_limits<double>::infinity();
            continue;
          }
          given.score = o.scale * score + bias(b, h, i, j);
          if (o.soft_cap > 0) given.score = o.soft_cap * std::tanh(given.score / o.soft_cap);
          score = o.score.function == nullptr ? given.score : value_of(o.score, given);
        }
  return softmax(s, 3);
}

array attention(const array& query, const array& key, const array& value, const attention_call& o) {
  const array weights = attention_weights(query, key, o);
  const std::size_t batches = weights.shape(0), queries = weights.shape(2), keys = weights.shape(3);
  const std::size_t value_width = value.shape(2), width = value_width / o.kv_heads;
  array y = filled({batches, queries, o.heads * width}, 0);
  for (std::size_t b = 0; b < batches; ++b)
    for (std::size_t h = 0; h < o.heads; ++h)
      for (std::size_t i = 0; i < queries; ++i)
        for (std::size_t j = 0; j < keys; ++j) {
          const double weight = weights(b, h, i, j);
          const double* v = value.data() + (b * keys + j) * value_width + h / (o.heads / o.kv_heads) * width;
          double* mean = y.data() + (b * queries + i) * o.heads * width + h * width;
          for (std::size_t e = 0; e < width; ++e) mean[e] += weight * v[e];
        }
  return y;
}

array attention_gradient(const array& query, const array& key, const array& value, const array& d,
                         const attention_call& o) {
  const array weights = attention_weights(query, key, o);
  const std::size_t batches = weights.shape(0), queries = weights.shape(2), keys = weights.shape(3),
                    width = query.shape(2) / o.heads, value_width = value.shape(2) / o.kv_heads;
  array all = filled({query.size() + key.size() + value.size()}, 0);
  double *dq = all.data(), *dk = dq + query.size(), *dv = dk + key.size();
  for (std::size_t b = 0; b < batches; ++b)
    for (std::size_t h = 0; h < o.heads; ++h)
      for (std::size_t i = 0; i < queries; ++i) {
        const std::size_t group = h / (o.heads / o.kv_heads);
        const std::size_t of_query = (b * queries + i) * query.shape(2) + h * width,
                          of_result = (b * queries + i) * d.shape(2) + h * value_width;
        const auto of_key = [&](std::size_t j) { return (b * keys + j) * key.shape(2) + group * width; };
        const auto of_value = [&](std::size_t j) {
          return (b * keys + j) * value.shape(2) + group * value_width;
        };
        std::vector<double> of_weights(keys);
        double sum = 0;
        for (std::size_t j = 0; j < keys; ++j) {
          for (std::size_t e = 0; e < value_width; ++e) {
            of_weights[j] += d.data()[of_result + e] * value.data()[of_value(j) + e];
            dv[of_value(j) + e] += weights(b, h, i, j) * d.data()[of_result + e];
          }
          sum += of_weights[j] * weights(b, h, i, j);
        }
        for (std::size_t j = 0; j < keys; ++j) {
          const double of_score = o.scale * weights(b, h, i, j) * (of_weights[j] - sum);
          for (std::size_t e = 0; e < width; ++e) {
            dq[of_query + e] += of_score * key.data()[of_key(j) + e];
            dk[of_key(j) + e] += of_score * query.data()[of_query + e];
          }
        }
      }
  return all;
}

} // namespace fovea::core::reference_ops
