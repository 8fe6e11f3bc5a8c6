#pragma once

// One step of an optimizer over a run of parameters (see optimizer_args).

#include <fovea/backends/optimizer.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>

namespace fovea::core::simd {

namespace detail {

/// f(parameter, gradient, moments) of each vector; the gradient is clipped and has its decay.
template <class Arch, class F>
inline void for_parameters(const optimizer_args& a, const F& f) {
  using v = vec<Arch>;
  const v factor(a.gradient_factor), decay(a.weight_decay);
  for_vectors<Arch>(a.count, [&](size_t i, auto lanes) {
    v w = lanes.load(a.values + i);
    v moments[2] = {a.moments[0] ? lanes.load(a.moments[0] + i) : v(0.0f),
                    a.moments[1] ? lanes.load(a.moments[1] + i) : v(0.0f)};
    f(w, lanes.load(a.gradients + i) * factor + decay * w, moments);
    lanes.store(a.values + i, w);
    for (int m : {0, 1})
      if (a.moments[m]) lanes.store(a.moments[m] + i, moments[m]);
  });
}

} // namespace detail

template <class Arch>
void update(const optimizer_args& a) {
  using v = vec<Arch>;
  const v rate(a.rate), keep1(a.beta1), keep2(a.beta2), take1(1 - a.beta1), take2(1 - a.beta2),
      epsilon(a.epsilon), kept(a.kept), root(a.root);
  switch (a.rule) {
    case optimizer_rule::momentum:
      return detail::for_parameters<Arch>(a, [&](v& w, const v& g, v* moments) {
        moments[0] = keep1 * moments[0] + g;
        w -= rate * moments[0];
      });
    case optimizer_rule::nesterov:
      return detail::for_parameters<Arch>(a, [&](v& w, const v& g, v* moments) {
        moments[0] = keep1 * moments[0] + g;
        w -= rate * (g + keep1 * moments[0]);
      });
    case optimizer_rule::squares:
      return detail::for_parameters<Arch>(a, [&](v& w, const v& g, v* moments) {
        moments[0] = keep1 * moments[0] + v(a.share) * g * g;
        w -= rate * g / (Arch::sqrt(moments[0]) + epsilon);
      });
    case optimizer_rule::adam:
      return detail::for_parameters<Arch>(a, [&](v& w, const v& g, v* moments) {
        moments[0] = keep1 * moments[0] + take1 * g;
        moments[1] = keep2 * moments[1] + take2 * g * g;
        w = w * kept - rate * moments[0] / (Arch::sqrt(moments[1]) * root + epsilon);
      });
  }
}

} // namespace fovea::core::simd
