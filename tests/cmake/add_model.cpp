// What fovea_add_model makes: for the instruction set in use, the same as in the user's file.

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <compiled_filter.hpp>
#include <compiled_filter_loss.hpp>
#include <compiled_widths.hpp>
#include <fovea/runtime/describe/explain.hpp>
#include <fovea/runtime/describe/profile.hpp>

extern "C" {
extern const fovea::core::simd::generated_model fovea_model_compiled_filter_baseline,
    fovea_model_compiled_filter_avx512;
}

namespace {

using namespace fovea;
using namespace fovea::core;
using filters::B, filters::T;

xt::xtensor<float, 3> wave(std::size_t steps, double rate) {
  xt::xtensor<float, 3> x = xt::zeros<float>({std::size_t{2}, steps, std::size_t{1}});
  for (std::size_t b = 0; b < 2; ++b)
    for (std::size_t t = 0; t < steps; ++t)
      x(b, t, 0) = static_cast<float>(std::sin(rate * static_cast<double>(t + 5 * b)));
  return x;
}

} // namespace

TEST_CASE("the code is that of the set in use") {
  CHECK(compiled_filter::code().steps.kernels->set == std::string(instruction_set()));
  CHECK(fovea_model_compiled_filter_avx512.stream.position.run !=
        fovea_model_compiled_filter_baseline.stream.position.run);
}

TEST_CASE("a model that is compiled for every set streams") {
  const model_weights from = initial_weights(filters::filter, 3);
  const std::size_t steps = 21;
  const xt::xtensor<float, 3> x = wave(steps, 0.7);
  const compile_options options{.capacity = {{B, 2}, {T, 21}}};
  auto exact = compile<reference>(filters::filter, from, options);
  const xt::xtensor<float, 3> expected = exact("x"_in = x)["y"_out];
  const auto check = [&](const auto& y, std::size_t first) {
    for (std::size_t b = 0; b < 2; ++b)
      for (std::size_t t = 0; t < y.shape()[1]; ++t)
        CHECK(y(b, t, 0) == Approx(expected(b, first + t, 0)).epsilon(1e-4).margin(1e-5));
  };

  auto net = compiled_filter::compile(from, options);
  check(net("x"_in = x)["y"_out], 0);

  auto live = compiled_filter::stream<T>(from, options);
  static_assert(decltype(live)::has_single_position);
  for (std::size_t t = 0; t < 8; ++t)
    check(live.step("x"_in = xt::view(x, xt::all(), xt::range(t, t + 1), xt::all()))["y"_out], t);
  auto copy = live;
  for (auto* s : {&live, &copy})
    check(s->step("x"_in = xt::view(x, xt::all(), xt::range(8, 21), xt::all()))["y"_out], 8);
  auto along_its_dim = compiled_filter::stream(from, options);
  check(along_its_dim.step("x"_in = x)["y"_out], 0);
}

TEST_CASE("a stream that is compiled for every set takes blocks") {
  const model_weights from = initial_weights(blocks::widths, 3);
  constexpr std::size_t steps = 200;
  const xt::xtensor<float, 3> x = xt::view(wave(steps, 0.7), xt::range(0, 1));
  const compile_options options{.capacity = {{B, 1}, {T, steps}}};
  auto exact = compile<reference>(blocks::widths, from, options);
  const auto expected = exact("x"_in = x);
  auto live = compiled_widths::stream(from, options);
  CHECK(live.takes_blocks());
  for (std::size_t at = 0, i = 0, count; at < steps; at += count, ++i) {
    constexpr std::size_t counts[] = {64, 5, 33, 2, 16, 40};
    count = std::min(counts[i % 6], steps - at);
    const auto found = live.step("x"_in = xt::view(x, xt::all(), xt::range(at, at + count), xt::all()));
    for (std::size_t t = 0; t < count; ++t) {
      for (std::size_t f = 0; f < 3; ++f)
        CHECK(found["y"_out](0, t, f) == Approx(expected["y"_out](0, at + t, f)).margin(2e-5));
      for (std::size_t f = 0; f < 10; ++f)
        CHECK(found["x"_out](0, t, f) == Approx(expected["x"_out](0, at + t, f)).margin(2e-5));
    }
  }
}

TEST_CASE("a model that is compiled for every set learns") {
  const model_weights from = initial_weights(filters::filter_loss, 4);
  const xt::xtensor<float, 3> x = wave(13, 0.9), wanted = wave(13, 0.45);
  const train_options options{.capacity = {{B, 2}, {T, 13}}};
  auto fit = compiled_filter_loss::train(adamw{.rate = 1e-2}, from, options);
  auto exact = train<reference>(filters::filter_loss, adamw{.rate = 1e-2}, from, options);
  for (int i = 0; i < 5; ++i)
    CHECK(fit.step("x"_in = x, "wanted"_in = wanted).loss ==
          Approx(exact.step("x"_in = x, "wanted"_in = wanted).loss).epsilon(1e-3));
  CHECK(fit.evaluate("x"_in = x, "wanted"_in = wanted)["loss"_out]() ==
        Approx(exact.evaluate("x"_in = x, "wanted"_in = wanted)["loss"_out]()).epsilon(1e-3));
}

TEST_CASE("a net of a model that is compiled for every set is explained, and profiled") {
  const compile_options options{.capacity = {{B, 2}, {T, 21}}};
  const model_weights from = initial_weights(filters::filter, 3);
  auto net = compiled_filter::compile(from, options);
  const profile measured;
  net("x"_in = wave(5, 0.7));
  const explanation e = explain(net);
  CHECK(e.model == filters::filter.name);
  CHECK(e.sizes == "B = 2, T = 5");
  CHECK(e.flops() == filters::filter.flops({{B, 2}, {T, 5}}));
  CHECK(e.steps.size() == explain(compile(filters::filter, from, options)).steps.size());
  double flops = 0;
  for (const profiled_step& s : measured.steps(false)) flops += s.flops;
  CHECK(flops == static_cast<double>(e.flops()));
}
