#include <fovea/backends/reference/elementwise.hpp>

namespace fovea::core::reference_ops {

array map(exact::unary_function f, const array& x) { return xt::vectorize(f)(x); }

array map(exact::binary_function f, const array& a, const array& b) { return xt::vectorize(f)(a, b); }

array where(const array& condition, const array& yes, const array& no) {
  return xt::where(xt::not_equal(condition, 0.0), yes, no);
}

} // namespace fovea::core::reference_ops
