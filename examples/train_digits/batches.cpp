#include "batches.hpp"

#include <fovea/runtime/decoding/random.hpp>

#include <cmath>

namespace train_digits {
namespace {

/// where(row): how far down and to the right.
template <class F>
batch made_of(const digits& from, std::span<const std::size_t> which, F where) {
  batch made{xt::xtensor<float, 4>({which.size(), side, side, 1}, 0.0f),
             xt::xtensor<int, 1>::from_shape({which.size()})};
  for (std::size_t row = 0; row < which.size(); ++row) {
    const std::uint8_t* image = from.image(which[row]);
    const auto [down, right] = where(row);
    for (std::size_t y = 0; y < side; ++y)
      for (std::size_t x = 0; x < side; ++x) {
        // Behind 0 the numbers wrap around to what is beyond the side.
        const std::size_t to_y = y + static_cast<std::size_t>(down),
                          to_x = x + static_cast<std::size_t>(right);
        if (to_y < side && to_x < side)
          made.pixels(row, to_y, to_x, 0) = static_cast<float>(image[y * side + x]) / 255.0f;
      }
    made.targets(row) = from.labels[which[row]];
  }
  return made;
}

} // namespace

batch batch_of(const digits& from, std::span<const std::size_t> which) {
  return made_of(from, which, [](std::size_t) { return std::pair(0, 0); });
}

batch shifted_batch_of(const digits& from, std::span<const std::size_t> which, int shift, std::uint64_t seed,
                       std::uint64_t number) {
  // ~seed: the order of the images is drawn by the seed itself.
  const auto drawn = [&](std::size_t n) {
    return static_cast<int>(fovea::core::uniform(~seed, number, n) * (2 * shift + 1)) - shift;
  };
  return made_of(from, which, [&](std::size_t row) { return std::pair(drawn(2 * row), drawn(2 * row + 1)); });
}

} // namespace train_digits
