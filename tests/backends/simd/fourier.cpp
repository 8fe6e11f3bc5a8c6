#include "kernel_sets.hpp"
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

using namespace fovea::core::simd;

namespace {

/// Runs the tasks one by one, from the last to the first.
void run_alone(const scratch_kernel<frame_args>& kernel, const frame_args& args) {
  aligned_floats scratch(kernel.scratch(args), NAN);
  for (std::size_t task = kernel.tasks(args); task-- > 0;) kernel.run(args, task, task + 1, scratch.data());
}
void run_together(const scratch_kernel<frame_args>& kernel, const frame_args& args) {
  aligned_floats scratch(kernel.scratch(args), NAN);
  kernel.run(args, 0, kernel.tasks(args), scratch.data());
}

} // namespace

TEST_CASE("frames are transformed, there and back, to the same bits whatever the tasks") {
  std::mt19937 random(7);
  for (const auto* table : kernel_sets())
    for (const std::size_t points : {2u, 15u, 22u, 64u, 100u})
      for (const std::size_t hop : {1u, 9u, 40u})
        for (const std::size_t frames : {1u, 17u, 150u}) {
          CAPTURE(table->set.name, points, hop, frames);
          const std::size_t width = points - points / 4, first = points / 8, bins = points / 2 + 1,
                            rows = frames + (width + hop - 1) / hop - 1;
          const auto x = random_floats(rows * hop, random), window = random_floats(width, random);
          std::vector<float> turns(2 * points), spectra(2 * bins * frames), again(spectra), back(x),
              back_again(x);
          for (std::size_t i = 0; i < points; ++i) {
            const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(points);
            turns[i] = static_cast<float>(std::cos(angle)),
            turns[points + i] = static_cast<float>(std::sin(angle));
          }
          frame_args args{.x = x.data(),
                          .out = spectra.data(),
                          .planes = 1,
                          .x_plane = rows * hop,
                          .frames = frames,
                          .rows = rows,
                          .hop = hop,
                          .width = width,
                          .points = points,
                          .first = first,
                          .window = window.data(),
                          .turns = turns.data()};
          run_together(*table->stft, args);
          args.out = again.data();
          run_alone(*table->stft, args);
          CHECK(spectra == again);
          // The transposed map: <stft(x), s> = <x, transposed(s)>.
          const auto given = random_floats(spectra.size(), random);
          args.x = given.data(), args.x_plane = given.size(), args.out = back.data();
          run_together(*table->stft_transposed, args);
          args.out = back_again.data();
          run_alone(*table->stft_transposed, args);
          CHECK(back == back_again);
          double one = 0, other = 0, size = 0;
          for (std::size_t i = 0; i < spectra.size(); ++i) {
            one += double(spectra[i]) * given[i];
            size += std::abs(double(spectra[i]) * given[i]);
          }
          for (std::size_t i = 0; i < x.size(); ++i) other += double(x[i]) * back[i];
          CHECK(std::abs(one - other) <= 1e-6 * size);
        }
}
