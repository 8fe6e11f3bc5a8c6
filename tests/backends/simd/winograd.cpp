// Convolution by tiles against the sum in double, and its error beside that of the convolution by windows.

#include "kernel_sets.hpp"
#include <catch2/catch.hpp>
#include <cmath>
#include <fovea/backends/simd/winograd_filters.hpp>

using namespace fovea::core::simd;

namespace {

/// A convolution of planes by 3 x 3 filters with one position of padding.
struct planes {
  std::size_t count, height, width, in, out;
  bool backward; // the taps of the filters come last first

  std::size_t places() const { return count * height * width; }
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
                       .out_plane = height * width * out,
                       .out_line = width * out,
                       .out_place = out,
                       .threads = threads};
    for (int axis : {0, 1}) {
      const std::size_t size = axis == 0 ? height : width;
      a.axis[axis] = backward ? window_axis{size, size, 3, 1, 1, -1} : window_axis{size, size, 3, 1, -1, 1};
    }
    return a;
  }
  /// filters [out, 3, 3, in].
  double sum(const std::vector<float>& x, const std::vector<float>& filters, std::size_t place,
             std::size_t column) const {
    const auto line = static_cast<int>(place / width % height), at = static_cast<int>(place % width);
    double all = 0;
    for (int y = 0; y < 3; ++y)
      for (int z = 0; z < 3; ++z) {
        const int from = line + (backward ? 1 - y : y - 1), of = at + (backward ? 1 - z : z - 1);
        if (from < 0 || of < 0 || from >= static_cast<int>(height) || of >= static_cast<int>(width)) continue;
        const std::size_t seen = (place / width / height * height + static_cast<std::size_t>(from)) * width +
                                 static_cast<std::size_t>(of);
        for (std::size_t k = 0; k < in; ++k)
          all += double(x[seen * in + k]) *
                 double(filters[(column * 9 + static_cast<std::size_t>(3 * y + z)) * in + k]);
      }
    return all;
  }
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
  std::mt19937 random(11);
  for (const auto* table : kernel_sets())
    for (const planes& of :
         {planes{1, 4, 4, 16, 16, false}, planes{2, 9, 7, 19, 37, false}, planes{1, 1, 13, 16, 33, true},
          planes{3, 6, 5, 33, 35, true}, planes{1, 56, 56, 64, 64, false}, planes{1, 8, 8, 512, 48, false}}) {
      const std::size_t panel = table->set.panel, places = of.places();
      CAPTURE(table->set.name, places, of.in, of.out, of.backward);
      const auto x = random_floats(places * of.in, random),
                 filters = random_floats(9 * of.in * of.out, random), bias = random_floats(of.out, random);
      const auto tiles = winograd_filters(filters, of.out, of.in, of.backward);
      const std::size_t of_product = panel_floats(panel, of.out, of.in);
      aligned_floats by_window(panel_floats(panel, of.out, 9 * of.in), 0),
          by_tile(winograd::products * of_product, 0);
      pack_rows(*table, filters.data(), of.out, 9 * of.in, by_window.data());
      for (std::size_t k = 0; k < winograd::products; ++k)
        pack_rows(*table, tiles.data() + k * of.out * of.in, of.out, of.in, by_tile.data() + k * of_product);

      std::vector<float> found(places * of.out, NAN), again(found), direct(found);
      run(*table->winograd_convolution, of.args(x.data(), by_tile.data(), bias.data(), found.data()), 1000);
      run(*table->winograd_convolution, of.args(x.data(), by_tile.data(), bias.data(), again.data(), 64), 1);
      run(*table->convolution, of.args(x.data(), by_window.data(), bias.data(), direct.data()), 1000);
      CHECK(found == again);
      double error = 0, direct_error = 0, most = 0, size = 0;
      std::size_t counted = 0;
      for (std::size_t i = 0; i < found.size(); i += 1 + found.size() / 2000, ++counted) {
        const double sum = of.sum(x, filters, i / of.out, i % of.out) + double(bias[i % of.out]);
        error += std::pow(found[i] - sum, 2), direct_error += std::pow(direct[i] - sum, 2);
        most = std::max(most, std::abs(found[i] - sum)), size += sum * sum;
      }
      // As docs/words/conv2d.md says. At edges the plain sum has fewer terms, a tile has not.
      if (of.height >= 8 && of.in >= 64) CHECK(std::sqrt(error) <= 3 * std::sqrt(direct_error));
      CHECK(most <= 4e-5 * std::sqrt(size / static_cast<double>(counted)));
    }
}
