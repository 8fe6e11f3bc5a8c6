#include <fovea/backends/reference/experts.hpp>

namespace fovea::core::reference_ops {

namespace {

/// The row of x that goes with place `i` of `which`: its own, or one that all experts of a row share.
std::size_t row_of(const array& x, const array& which, std::size_t i) {
  return x.dimension() == which.dimension() ? i / which.shape().back() : i;
}

/// Calls f(place of `which`, first row of its expert's weights).
template <class F>
void for_experts(const array& which, std::size_t out, F f) {
  for (std::size_t i = 0; i < which.size(); ++i) f(i, static_cast<std::size_t>(which.data()[i]) * out);
}

} // namespace

array expert_linear(const array& x, const array& weight, const array& which, const array_shape& shape,
                    source_place at) {
  const std::size_t in = weight.shape(1), out = shape.back();
  check_numbers(at, "expert_linear", "experts", which, weight.shape(0) / out);
  array y = filled(shape, 0);
  for_experts(which, out, [&](std::size_t i, std::size_t first) {
    for (std::size_t o = 0; o < out; ++o)
      for (std::size_t k = 0; k < in; ++k)
        y.data()[i * out + o] += x.data()[row_of(x, which, i) * in + k] * weight.data()[(first + o) * in + k];
  });
  return y;
}

array expert_linear_gradient(const array& d, const array& weight, const array& which,
                             const array_shape& shape) {
  const std::size_t in = weight.shape(1), out = d.shape().back();
  array made = filled(shape, 0);
  for_experts(which, out, [&](std::size_t i, std::size_t first) {
    for (std::size_t o = 0; o < out; ++o)
      for (std::size_t k = 0; k < in; ++k)
        made.data()[i * in + k] += d.data()[i * out + o] * weight.data()[(first + o) * in + k];
  });
  return made;
}

array expert_weight_gradient(const array& d, const array& x, const array& which, const array_shape& shape) {
  const std::size_t in = shape[1], out = d.shape().back();
  array made = filled(shape, 0);
  for_experts(which, out, [&](std::size_t i, std::size_t first) {
    for (std::size_t o = 0; o < out; ++o)
      for (std::size_t k = 0; k < in; ++k)
        made.data()[(first + o) * in + k] += d.data()[i * out + o] * x.data()[row_of(x, which, i) * in + k];
  });
  return made;
}

} // namespace fovea::core::reference_ops
