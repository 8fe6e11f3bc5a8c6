#include "fuzzed.hpp"

#include "../../examples/picture/image.hpp"

void fovea::core::fuzz::run(std::string_view input) {
  constexpr std::size_t most_pixels = 1'000'000; // of which a few bytes can promise many
  attempt([&] {
    const picture::image found = picture::read_image(input, "picture", most_pixels);
    require(found.rgb.size() == 3 * found.width * found.height && !found.rgb.empty());
    require(picture::begins_image(input));
  });
}
