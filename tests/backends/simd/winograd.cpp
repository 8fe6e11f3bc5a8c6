// Convolution by tiles against the sum in double, and its error beside that of the convolution by windows.

#include "../../page_end.hpp"
#include "kernel_sets.hpp"
#include <catch2/catch.hpp>
#include <cmath>
#include <fovea/backends/simd/winograd_filters.hpp>

using namespace fovea::core::simd;

namespace {

/// Nothing that can be read or written follows.
using guarded_floats = std::vector<float, fovea::core::test::page_end<float>>;

/// A convolution of planes by square filters, with `padding` places on all sides.
struct planes {
  std::size_t count, height, width, in, out, size = 3, stride = 1;
  int padding = 1;
  bool backward = false; // the taps of the filters come last first

  std::size_t along(int axis) const { // places of the output
    const std::size_t of = (axis == 0 ? height : width) + 2 * static_cast<std::size_t>(padding);
    return (of - size) / stride + 1;
  }
  std::size_t places() const { return count * along(0) * along(1); }
  convolution_args args(const float* x, const float* weights, const float* bias, float* to,
                        std::size_t threads = 1) const {
    convolution_args a{.x = x,
                       .planes = count,
                       .x_plane = height * width * in,
                       .depth = in,
                       .columns = out,
                       .weights = weights,
                       .bias = bias,
                       .out = to,
                       .out_plane = along(0) * along(1) * out,
                       .out_line = along(1) * out,
                       .out_place = out,
                       .threads = threads};
    for (int axis : {0, 1})
      a.axis[axis] = {axis == 0 ? height : width,          along(axis), size,
                      static_cast<std::ptrdiff_t>(stride), first(),     backward ? -1 : 1};
    return a;
  }
  /// filters [out, size, size, in].
  double sum(const float* x, const std::vector<float>& filters, std::size_t place, std::size_t column) const {
    const std::size_t plane = place / along(1) / along(0);
    const auto from = [&](std::size_t at, std::size_t tap) {
      const auto step = static_cast<int>(tap);
      return static_cast<int>(at * stride) + first() + (backward ? -step : step);
    };
    double all = 0;
    for (std::size_t y = 0; y < size; ++y)
      for (std::size_t z = 0; z < size; ++z) {
        const int line = from(place / along(1) % along(0), y), of = from(place % along(1), z);
        if (line < 0 || of < 0 || line >= static_cast<int>(height) || of >= static_cast<int>(width)) continue;
        const std::size_t seen =
            (plane * height + static_cast<std::size_t>(line)) * width + static_cast<std::size_t>(of);
        for (std::size_t k = 0; k < in; ++k)
          all += double(x[seen * in + k]) * double(filters[(column * size * size + size * y + z) * in + k]);
      }
    return all;
  }

private:
  int first() const { return backward ? static_cast<int>(size) - 1 - padding : -padding; }
};

void pack_rows(const kernel_table& table, const float* weights, std::size_t columns, std::size_t depth,
               float* to) {
  const pack_args args{.b = weights,
                       .columns = columns,
                       .depth = depth,
                       .column_stride = depth,
                       .depth_stride = 1,
                       .panels = to};
  table.pack->run(args, 0, table.pack->tasks(args));
}

void run(const scratch_kernel<convolution_args>& kernel, const convolution_args& args, std::size_t together) {
  aligned_floats scratch(kernel.scratch(args), NAN);
  const std::size_t tasks = kernel.tasks(args);
  for (std::size_t task = 0; task < tasks; task += together)
    kernel.run(args, task, std::min(task + together, tasks), scratch.data());
}

} // namespace

TEST_CASE("convolution by tiles agrees with its sum, to the same bits whatever the tasks") {
  for (const auto* table : kernel_sets()) {
    std::mt19937 random(11); // the same numbers for each set, whichever there are
    for (const planes& of : {planes{1, 4, 4, 16, 16},
                             {2, 9, 7, 19, 37},
                             {1, 1, 13, 16, 33, 3, 1, 1, true},
                             {3, 6, 5, 33, 35, 3, 1, 1, true},
                             {1, 56, 56, 64, 64},
                             {1, 8, 8, 512, 48},
                             {1, 31, 29, 12, 16, 4, 1, 0},
                             {2, 6, 8, 17, 20, 4, 1, 2, true},
                             {1, 30, 33, 64, 32, 5, 1, 2},
                             {2, 7, 9, 13, 19, 5, 1, 3, true},
                             {1, 64, 60, 3, 64, 7, 2, 3},
                             {2, 13, 16, 5, 35, 7, 2, 0},
                             {3, 9, 11, 3, 17, 5, 2, 2},
                             {1, 32, 32, 16, 48, 5, 2, 2},
                             {1, 15, 14, 7, 21, 6, 2, 1},
                             {1, 34, 31, 3, 16, 9, 3, 4},
                             {1, 45, 43, 3, 18, 5, 2, 0}}) {
      const std::size_t panel = table->set.panel, places = of.places(), taps = of.size * of.size;
      const std::size_t depth = winograd::tile_shape(of.size, of.stride).features(of.in);
      CAPTURE(table->set.name, of.height, of.width, of.in, of.out, of.size, of.stride, of.backward);
      const auto values = random_floats(of.count * of.height * of.width * of.in, random),
                 filters = random_floats(taps * of.in * of.out, random),
                 biases = random_floats(of.out, random);
      const guarded_floats x(values.begin(), values.end()), bias(biases.begin(), biases.end());
      const auto tiles = winograd_filters(filters, of.out, of.in, of.size, of.stride, of.backward);
      const std::size_t of_product = panel_floats(panel, of.out, depth);
      aligned_floats by_window(panel_floats(panel, of.out, taps * of.in), 0),
          by_tile(winograd::products * of_product, 0);
      pack_rows(*table, filters.data(), of.out, taps * of.in, by_window.data());
      for (std::size_t k = 0; k < winograd::products; ++k)
        pack_rows(*table, tiles.data() + k * of.out * depth, of.out, depth, by_tile.data() + k * of_product);

      guarded_floats found(places * of.out, NAN), again(found), direct(found);
      run(*table->winograd_convolution, of.args(x.data(), by_tile.data(), bias.data(), found.data()), 1000);
      run(*table->winograd_convolution, of.args(x.data(), by_tile.data(), bias.data(), again.data(), 64), 1);
      run(*table->convolution, of.args(x.data(), by_window.data(), bias.data(), direct.data()), 1000);
      CHECK(found == again);
      double error = 0, direct_error = 0, most = 0, size = 0;
      std::size_t counted = 0;
      for (std::size_t i = 0; i < found.size(); i += 1 + found.size() / 2000, ++counted) {
        const double sum = of.sum(x.data(), filters, i / of.out, i % of.out) + double(bias[i % of.out]);
        error += std::pow(found[i] - sum, 2), direct_error += std::pow(direct[i] - sum, 2);
        most = std::max(most, std::abs(found[i] - sum)), size += sum * sum;
      }
      // As docs/words/conv2d.md says. In 12 draws 5 x 5 filters of 3 channels had 2.5 to 3.2 times the error, those
      // of 16 and more at most 2.6. At edges the plain sum has fewer terms, a tile has not.
      const double times = of.in < 16 ? 3.5 : 3;
      if (of.height >= 30 || of.in >= 64) CHECK(std::sqrt(error) <= times * std::sqrt(direct_error));
      CHECK(most <= 4e-5 * std::sqrt(size / static_cast<double>(counted)));
    }
  }
}
