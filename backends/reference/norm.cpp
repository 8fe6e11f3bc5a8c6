#include <fovea/backends/reference/norm.hpp>

#include <algorithm>
#include <limits>

#include <fovea/backends/reference/reduce.hpp>

namespace fovea::core::reference_ops {

namespace {

array scaled_and_shifted(array x, const array* weight, const array* bias) {
  if (weight != nullptr) x *= *weight;
  if (bias != nullptr) x += *bias;
  return x;
}

/// (x - mean) / sqrt(variance + epsilon) along an axis, in two passes.
array standardised(const array& x, std::size_t axis, double epsilon) {
  const array centred = x - mean(x, axis);
  const array squared = centred * centred;
  const array variance = mean(squared, axis);
  return centred / xt::sqrt(variance + epsilon);
}

/// What is subtracted before an exponential so that none overflows: the largest element along the axis, 0
/// where that is -infinity.
array origin(const array& x, std::size_t axis) {
  const array largest = max_over(x, axis);
  return xt::where(xt::equal(largest, -std::numeric_limits<double>::infinity()), 0.0, largest);
}

} // namespace

array layer_norm(const array& x, const array* weight, const array* bias, double epsilon) {
  return scaled_and_shifted(standardised(x, x.dimension() - 1, epsilon), weight, bias);
}

array rms_norm(const array& x, const array* weight, const array* bias, double epsilon) {
  const array squared = x * x;
  return scaled_and_shifted(x / xt::sqrt(mean(squared, x.dimension() - 1) + epsilon), weight, bias);
}

array norm_gradient(const array& x, const array& d, const array* weight, bool centred, double epsilon) {
  const std::size_t last = x.dimension() - 1, width = x.shape(last);
  const array from_mean = centred ? array(x - mean(x, last)) : x;
  const array squared = from_mean * from_mean;
  const array r = 1.0 / xt::sqrt(mean(squared, last) + epsilon);
  const array n = from_mean * r, e = scaled_and_shifted(d, weight, nullptr), along = e * n;
  const array across = centred ? array(e - mean(e, last)) : e;
  const array of_x = (across - n * mean(along, last)) * r, of_weight = d * n;
  const auto rows = [&](const array& of) { return reshaped(of, {x.size() / width, width}); };
  const array all[] = {of_x, sum(rows(of_weight), 0), sum(rows(d), 0)};
  array made = filled({x.size() + 2 * width}, 0);
  double* to = made.data();
  for (const array& part : all) to = std::copy(part.data(), part.data() + part.size(), to);
  return made;
}

array batch_norm(const array& x, const array& weight, const array& bias, const array& mean,
                 const array& variance, double epsilon) {
  return (x - mean) / xt::sqrt(variance + epsilon) * weight + bias;
}

array group_norm(const array& x, const array* weight, const array* bias, std::size_t groups, double epsilon) {
  const std::size_t batch = x.shape(0), width = x.shape(x.dimension() - 1), in_group = width / groups;
  const std::size_t places = batch * width == 0 ? 0 : x.size() / (batch * width);
  const array grouped = xt::transpose(reshaped(x, {batch, places, groups, in_group}), {0, 2, 1, 3});
  const array rows = standardised(reshaped(grouped, {batch, groups, places * in_group}), 2, epsilon);
  const array features = xt::transpose(reshaped(rows, {batch, groups, places, in_group}), {0, 2, 1, 3});
  return scaled_and_shifted(reshaped(features, shape_of(x)), weight, bias);
}

array softmax(const array& x, std::size_t axis) {
  const array weights = xt::exp(x - origin(x, axis));
  const array total = sum(weights, axis);
  return weights / xt::where(xt::equal(total, 0.0), 1.0, total);
}

array log_softmax(const array& x, std::size_t axis) {
  const array shifted = x - origin(x, axis);
  const array weights = xt::exp(shifted);
  return shifted - xt::log(sum(weights, axis));
}

} // namespace fovea::core::reference_ops
