#include <fovea/backends/simd/scalar_value.hpp>

#include <algorithm>
#include <cmath>

namespace fovea::core::simd {

double scalar_point::value(int id) const {
  const scalar_node& n = f.nodes[id];
  const auto operand = [&](int k) { return value(n.operands[k]); };
  const auto real = [&](int k) { return static_cast<float>(operand(k)); };
  switch (n.kind) {
    case op::constant:
      return n.number;
    case op::score:
      return score;
    case op::query_position:
      return query;
    case op::key_position:
      return key;
    case op::head_index:
      return head;
    case op::batch_index:
      return batch;
    case op::table_at: {
      std::size_t at = 0;
      for (int k = 0; k < n.operand_count; ++k) {
        const auto size = static_cast<std::int64_t>(table_sizes[n.capture][k]),
                   place =
                       static_cast<std::int64_t>(operand(k)) - (of_queries[n.capture][k] ? first_query : 0);
        at = at * static_cast<std::size_t>(size) +
             static_cast<std::size_t>(std::clamp<std::int64_t>(place, 0, size - 1));
      }
      return n.type == element::f32
                 ? static_cast<double>(tables[n.capture][at])
                 : static_cast<double>(reinterpret_cast<const std::int32_t*>(tables[n.capture])[at]);
    }
    case op::negate:
      return -operand(0);
    case op::abs:
      return std::abs(operand(0));
    case op::to_float:
    case op::stop_gradient:
    case op::dropout:
      return operand(0);
    case op::logical_not:
      return operand(0) == 0;
    case op::exp:
      return std::exp(real(0));
    case op::log:
      return std::log(real(0));
    case op::sqrt:
      return std::sqrt(real(0));
    case op::relu:
      return std::max(operand(0), 0.0);
    case op::gelu:
      return 0.5 * operand(0) * (1 + std::erf(operand(0) * 0.70710678118654752));
    case op::gelu_tanh: {
      const double x = operand(0);
      return 0.5 * x * (1 + std::tanh(0.79788456080286536 * (x + 0.044715 * x * x * x)));
    }
    case op::silu:
      return operand(0) / (1 + std::exp(-operand(0)));
    case op::sigmoid:
      return 1 / (1 + std::exp(-operand(0)));
    case op::tanh:
      return std::tanh(real(0));
    case op::softplus:
      return std::max(operand(0), 0.0) + std::log1p(std::exp(-std::abs(operand(0))));
    case op::erf:
      return std::erf(real(0));
    case op::sin:
      return std::sin(real(0));
    case op::cos:
      return std::cos(real(0));
    case op::floor:
      return std::floor(operand(0));
    case op::add:
      return operand(0) + operand(1);
    case op::subtract:
      return operand(0) - operand(1);
    case op::multiply:
      return operand(0) * operand(1);
    case op::divide:
      if (n.type == element::f32) return real(0) / real(1);
      return operand(1) == 0 ? 0 : std::floor(operand(0) / operand(1));
    case op::power:
      return std::pow(real(0), real(1));
    case op::maximum:
      return std::max(operand(0), operand(1));
    case op::minimum:
      return std::min(operand(0), operand(1));
    case op::less:
      return operand(0) < operand(1);
    case op::less_equal:
      return operand(0) <= operand(1);
    case op::equal:
      return operand(0) == operand(1);
    case op::logical_and:
      return operand(0) != 0 && operand(1) != 0;
    case op::logical_or:
      return operand(0) != 0 || operand(1) != 0;
    case op::where:
      return operand(0) != 0 ? operand(1) : operand(2);
    default:
      return 0;
  }
}

} // namespace fovea::core::simd
