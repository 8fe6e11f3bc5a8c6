#include "misread.hpp"

#include <picture/canvas.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace train_digits {

void draw(const digits& from, const std::vector<misread>& some, const std::filesystem::path& file) {
  constexpr std::size_t across = 6, most = 24;
  constexpr double pixel = 3, image = pixel * static_cast<double>(side), place = image + 30;
  picture::canvas to;
  for (std::size_t i = 0; i < std::min(most, some.size()); ++i) {
    const misread& one = some[i];
    const double left = place * static_cast<double>(i % across),
                 top = place * static_cast<double>(i / across);
    to.fill({left, top}, image, image, picture::pale);
    for (std::size_t y = 0; y < side; ++y)
      for (std::size_t x = 0; x < side; ++x)
        if (const std::uint8_t ink = from.image(one.image)[y * side + x]; ink > 0)
          to.fill({left + pixel * static_cast<double>(x), top + pixel * static_cast<double>(y)}, pixel, pixel,
                  picture::between(picture::pale, picture::black, ink / 255.0));
    to.text({left, top + image + 10},
            fmt::format("{}, taken for {} ({:.2f})", from.labels[one.image], one.taken_for, one.probability),
            {.size = 9});
  }
  to.save(file);
}

} // namespace train_digits
