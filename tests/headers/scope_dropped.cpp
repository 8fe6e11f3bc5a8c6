// A scope that ends where it begins names nothing: both compilers warn of it.

#include <fovea/dsl.hpp>

using namespace fovea;

constexpr expr encoder(expr x) {
  scope(x, "encoder");
  return linear(x, "up", 8);
}
