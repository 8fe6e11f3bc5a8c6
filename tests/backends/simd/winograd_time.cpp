// Convolution over time by tiles against the sum in double, and its error beside that of the convolution by windows.

#include "../../page_end.hpp"
#include "kernel_sets.hpp"
#include <catch2/catch.hpp>
#include <cmath>
#include <fovea/backends/simd/winograd_filters.hpp>
#include <limits>

using namespace fovea::core::simd;

namespace {

/// Nothing that can be read or written follows.
using guarded_floats = std::vector<float, fovea::core::test::page_end<float>>;

/// A convolution over time, with `before` positions in front and as many behind that its outputs are `places`.
struct over_time {
  std::size_t planes, length, in, out, taps, before, places;

  convolution_args args(const float* x, const float* weights, const float* bias, float* to) const {
    convolution_args a{.x = x,
                       .planes = planes,
                       .x_plane = length * in,
                       .depth = in,
                       .columns = out,
                       .weights = weights,
                       .bias = bias,
                       .out = to,
                       .out_plane = places * out,
                       .out_line = places * out,
                       .out_place = out};
    a.axis[1] = {length, places, taps, 1, -static_cast<std::ptrdiff_t>(before), 1};
    return a;
  }
  /// filters [out, taps, in].
  double sum(const float* x, const std::vector<float>& filters, std::size_t row, std::size_t column) const {
    double all = 0;
    for (std::size_t tap = 0; tap < taps; ++tap) {
      const std::size_t at = row % places + tap;
      if (at < before || at - before >= length) continue;
      const float* const seen = x + (row / places * length + at - before) * in;
      for (std::size_t k = 0; k < in; ++k)
        all += double(seen[k]) * double(filters[(column * taps + tap) * in + k]);
    }
    return all;
  }
};

void run(const scratch_kernel<convolution_args>& kernel, const convolution_args& args, std::size_t together) {
  aligned_floats scratch(kernel.scratch(args), NAN);
  const std::size_t tasks = kernel.tasks(args);
  for (std::size_t task = 0; task < tasks; task += together)
    kernel.run(args, task, std::min(task + together, tasks), scratch.data());
}

aligned_floats packed_rows(const kernel_table& table, const std::vector<float>& weights, std::size_t count,
                           std::size_t columns, std::size_t depth) {
  const std::size_t of_one = panel_floats(table.set.panel, columns, depth);
  aligned_floats made(count * of_one, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const pack_args args{.b = weights.data() + i * columns * depth,
                         .columns = columns,
                         .depth = depth,
                         .column_stride = depth,
                         .depth_stride = 1,
                         .panels = made.data() + i * of_one};
    table.pack->run(args, 0, table.pack->tasks(args));
  }
  return made;
}

const over_time cases[] = {
    {1, 16, 32, 32, 3, 1, 16},  {2, 19, 33, 37, 3, 0, 17},   {1, 128, 64, 100, 4, 0, 125},
    {3, 50, 64, 100, 5, 0, 46}, {1, 301, 80, 48, 3, 1, 301}, {2, 7, 5, 19, 5, 3, 9},
    {1, 1, 40, 33, 3, 1, 1},    {2, 13, 600, 35, 4, 2, 14},  {1, 2000, 32, 17, 5, 2, 2000}};

} // namespace

TEST_CASE("convolution over time by tiles agrees with its sum, to the same bits whatever the tasks") {
  std::mt19937 random(11);
  for (const auto* table : kernel_sets())
    for (const over_time& of : cases) {
      CAPTURE(table->set.name, of.planes, of.length, of.in, of.out, of.taps, of.before);
      const auto values = random_floats(of.planes * of.length * of.in, random),
                 filters = random_floats(of.taps * of.in * of.out, random),
                 biases = random_floats(of.out, random);
      const guarded_floats x(values.begin(), values.end()), bias(biases.begin(), biases.end());
      auto by_tile = packed_rows(*table, winograd_time_filters(filters, of.out, of.in, of.taps),
                                 winograd::seen, of.out, of.in),
           by_window = packed_rows(*table, filters, 1, of.out, of.taps * of.in);
      guarded_floats found(of.planes * of.places * of.out, NAN), again(found), direct(found);
      const auto& kernel = *table->winograd_time_convolution;
      run(kernel, of.args(x.data(), by_tile.data(), bias.data(), found.data()), 1000);
      auto shared = of.args(x.data(), by_tile.data(), bias.data(), again.data());
      shared.threads = 64;
      run(kernel, shared, 1);
      run(*table->convolution, of.args(x.data(), by_window.data(), bias.data(), direct.data()), 1000);
      CHECK(found == again);
      double error = 0, direct_error = 0, most = 0, size = 0;
      for (std::size_t i = 0; i < found.size(); ++i) {
        const double sum = of.sum(x.data(), filters, i / of.out, i % of.out) + double(bias[i % of.out]);
        error += std::pow(found[i] - sum, 2), direct_error += std::pow(direct[i] - sum, 2);
        most = std::max(most, std::abs(found[i] - sum)), size += sum * sum;
      }
      // As docs/words/conv1d.md says.
      if (of.places >= 30) CHECK(std::sqrt(error) <= 2 * std::sqrt(direct_error));
      CHECK(most <= 2e-5 * std::sqrt(size / static_cast<double>(found.size())));

      // Joined with another value, as by the operation itself.
      const auto others = random_floats(found.size(), random);
      const guarded_floats other(others.begin(), others.end());
      auto joined = of.args(x.data(), by_tile.data(), bias.data(), again.data());
      joined.other = other.data(), joined.join = fovea::core::op::add;
      run(kernel, joined, 2);
      for (std::size_t i = 0; i < found.size(); ++i)
        if (again[i] != found[i] + other[i]) FAIL_CHECK(again[i] << " is not " << found[i] + other[i]);

      // A value that is not finite spreads over the places of its tiles alone.
      guarded_floats spoilt(x);
      spoilt[of.length / 2 * of.in] = std::numeric_limits<float>::infinity();
      run(kernel, of.args(spoilt.data(), by_tile.data(), bias.data(), again.data()), 1000);
      const std::size_t outputs = winograd::tile_shape(of.taps, 1).outputs;
      for (std::size_t i = 0; i < found.size(); ++i) {
        const std::size_t place = i / of.out % of.places, first = place / outputs * outputs,
                          seen = of.length / 2 + of.before;
        const bool sees = i / of.out < of.places && first <= seen && seen < first + winograd::seen;
        if (!sees && again[i] != found[i]) FAIL_CHECK("place " << place << " is " << again[i]);
      }

      // Of all places the largest, of what is activated, to the same bits.
      for (const auto act : {fovea::core::op::none, fovea::core::op::relu, fovea::core::op::tanh}) {
        guarded_floats each(found.size(), NAN), largest(of.planes * of.out, NAN), alone(largest);
        auto args = of.args(x.data(), by_tile.data(), bias.data(), each.data());
        args.act = act;
        run(kernel, args, 3);
        for (float* to : {largest.data(), alone.data()}) {
          auto kept = of.args(x.data(), by_tile.data(), bias.data(), to);
          kept.act = act, kept.largest = true, kept.out_plane = of.out;
          run(kernel, kept, to == alone.data() ? 1 : 1000);
        }
        CHECK(largest == alone);
        for (std::size_t i = 0; i < largest.size(); ++i) {
          float expected = -std::numeric_limits<float>::infinity();
          for (std::size_t place = 0; place < of.places; ++place)
            expected = std::max(expected, each[(i / of.out * of.places + place) * of.out + i % of.out]);
          if (largest[i] != expected) FAIL_CHECK(largest[i] << " is not " << expected);
        }
      }
    }
}
