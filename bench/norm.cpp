// What would a norm cost if it cost nothing? Times a norm with the product behind it, and the product alone:
// the difference is the most that a product which norms its own rows could save.

#include "measure.hpp"

#include <cstdio>
#include <exception>
#include <fovea/fovea.hpp>

namespace {

using namespace fovea;
using namespace fovea::core;

inline constexpr dim T{"T"};

template <int width, int out, bool normed>
inline constexpr auto layer = model("layer", [](graph& g) {
  const expr x = g.input<f32>("x", {T, width});
  g.output("y", linear(normed ? layer_norm(x, "norm") : x, "up", out));
});

template <int width, int out, bool normed>
double us_of(std::size_t rows) {
  const std::vector<float> weight(width * out, 0.01f), bias(out, 0.f), ones(width, 1.f), zeros(width, 0.f);
  std::map<std::string, weight_tensor> tensors{{"up.weight", {{out, width}, weight}},
                                               {"up.bias", {{out}, bias}}};
  if (normed) {
    tensors["norm.weight"] = {{width}, ones};
    tensors["norm.bias"] = {{width}, zeros};
  }
  auto net = compile(layer<width, out, normed>, model_weights::from(std::move(tensors)),
                     {.capacity = {{T, static_cast<int>(rows)}}, .regime = regime::large, .threads = 1});
  const xt::xtensor<float, 2> x = xt::ones<float>({rows, std::size_t{width}});
  return bench::best_us(300, [&] { net("x"_in = x); });
}

template <int width, int out>
void print(std::size_t rows) {
  const double product = us_of<width, out, false>(rows), both = us_of<width, out, true>(rows);
  std::printf("%4zu x %4d x %4d %12.1f %18.1f %9.3f\n", rows, out, width, product, both, 1 - product / both);
}

} // namespace

int main() try {
  std::printf("%s, 1 thread\nrows x columns x depth   product us   norm, product us   of both\n",
              instruction_set());
  for (const std::size_t rows : {std::size_t{1}, std::size_t{16}, std::size_t{128}}) {
    print<384, 1536>(rows);
    print<768, 2304>(rows);
  }
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "norm: %s\n", e.what());
  return 1;
}
