// SAGAN's self-attention block on a picture: which of 7 x 7 fields looks at which, and what the block makes
// of them. Without trained weights, fields are compared by their coarse drawing and mixed as they are.

#include "program/program.hpp"

#include <fovea/fovea.hpp>
#include <fovea/models/sagan.hpp>

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

namespace {

using namespace fovea;

// 7 x 7 fields of 16 x 16 pixels; of each pixel its brightness and its warmth, red less blue: 512 numbers.
constexpr std::size_t side = 7, field = 16, places = side * side, pixels = side * field;
constexpr std::size_t half = field * field, channels = 2 * half, filters = 64;
constexpr models::sagan_config config{.filters = filters};

constexpr auto block = model("sagan_block", [](graph& g) {
  const expr x = g.input<f32>("x", {1, side, side, channels});
  const models::sagan_features features = models::sagan_projections(x, config);
  g.output("maps", models::sagan_maps(features));
  g.output("y", models::sagan_output(x, features, config));
});
constexpr std::int64_t block_parameters = decltype(block)::parameters();
static_assert(block_parameters == 327'681);

/// A picture of `pixels` a side in brightness and warmth, both from 0 to 1, about.
struct picture {
  std::vector<float> brightness = std::vector<float>(pixels * pixels), warmth = brightness;
};

/// Reads a PNG and shrinks it, each pixel the mean of those that it covers.
picture read_picture(const std::string& file) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  const auto fail = [&](const std::string& why) {
    png_image_free(&png);
    throw error(file + ": " + why);
  };
  if (!png_image_begin_read_from_file(&png, file.c_str())) fail(png.message);
  png.format = PNG_FORMAT_RGB;
  const std::size_t width = png.width, height = png.height;
  if (width < pixels || height < pixels)
    fail(fmt::format("expected a picture of at least {0} x {0} pixels, found {1} x {2}", pixels, width,
                     height));
  std::vector<png_byte> rgb(PNG_IMAGE_SIZE(png));
  if (!png_image_finish_read(&png, nullptr, rgb.data(), 0, nullptr)) fail(png.message);
  picture small;
  for (std::size_t y = 0; y < pixels; ++y)
    for (std::size_t x = 0; x < pixels; ++x) {
      double red = 0, green = 0, blue = 0, count = 0;
      for (std::size_t v = y * height / pixels; v < (y + 1) * height / pixels; ++v)
        for (std::size_t u = x * width / pixels; u < (x + 1) * width / pixels; ++u, ++count) {
          const png_byte* p = &rgb[3 * (v * width + u)];
          red += p[0], green += p[1], blue += p[2];
        }
      small.brightness[y * pixels + x] =
          static_cast<float>((0.299 * red + 0.587 * green + 0.114 * blue) / count / 255);
      small.warmth[y * pixels + x] = static_cast<float>((red - blue) / count / 255);
    }
  return small;
}

void write_grey(const std::string& file, const std::vector<float>& from) {
  std::vector<png_byte> grey(from.size());
  std::transform(from.begin(), from.end(), grey.begin(),
                 [](float x) { return static_cast<png_byte>(std::lround(std::clamp(x, 0.0f, 1.0f) * 255)); });
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = png.height = static_cast<png_uint_32>(pixels);
  png.format = PNG_FORMAT_GRAY;
  if (!png_image_write_to_file(&png, file.c_str(), 0, grey.data(), 0, nullptr))
    throw error(file + ": " + png.message);
}

/// Where pixel (v, u) of place i is in a picture.
std::size_t at(std::size_t i, std::size_t v, std::size_t u) {
  return (i / side * field + v) * pixels + i % side * field + u;
}

xt::xtensor<float, 4> fields_of(const picture& p) {
  xt::xtensor<float, 4> x({1, side, side, channels});
  for (std::size_t i = 0; i < places; ++i)
    for (std::size_t v = 0; v < field; ++v)
      for (std::size_t u = 0; u < field; ++u) {
        x.data()[i * channels + v * field + u] = p.brightness[at(i, v, u)];
        x.data()[i * channels + half + v * field + u] = p.warmth[at(i, v, u)];
      }
  return x;
}

/// f and g are the 8 x 8 slowest cosines of a field's brightness but for its mean, h changes nothing.
model_weights drawing_weights(float gamma, double contrast) {
  std::vector<float> cosines(filters * channels), same(channels * channels);
  for (std::size_t a = 0; a < 8; ++a)
    for (std::size_t b = a == 0 ? 1 : 0; b < 8; ++b)
      for (std::size_t v = 0; v < field; ++v)
        for (std::size_t u = 0; u < field; ++u) {
          const auto wave = [](std::size_t frequency, std::size_t t) {
            const double phase = (static_cast<double>(t) + 0.5) / field;
            return std::cos(std::numbers::pi * static_cast<double>(frequency) * phase);
          };
          cosines[(a * 8 + b) * channels + v * field + u] =
              static_cast<float>(contrast * 2 / field * wave(a, v) * wave(b, u));
        }
  for (std::size_t i = 0; i < channels; ++i) same[i * channels + i] = 1;
  return model_weights::from({{"f.weight", {{filters, channels, 1, 1}, cosines}},
                              {"g.weight", {{filters, channels, 1, 1}, cosines}},
                              {"h.weight", {{channels, channels, 1, 1}, same}},
                              {"gamma", {{1}, {gamma}}}});
}

struct arguments {
  std::string file, trained, map, out;
  std::size_t row = 3, column = 3;
  float gamma = 0;
  double contrast = 0.3;
};

void declare(CLI::App& app, arguments& a) {
  app.add_option("PICTURE", a.file, "A PNG of at least 112 x 112 pixels")->required();
  app.add_option("--row", a.row, "The field whose map is shown: row")
      ->capture_default_str()
      ->check(CLI::Range(0, 6));
  app.add_option("--column", a.column, "and column")->capture_default_str()->check(CLI::Range(0, 6));
  app.add_option("--gamma", a.gamma, "How much of what is seen is added")->capture_default_str();
  app.add_option("--contrast", a.contrast, "How strongly likeness counts")->capture_default_str();
  app.add_option("--weights", a.trained,
                 "Trained f, g, h and gamma, as safetensors, in place of the two above");
  app.add_option("--map", a.map, "Write the picture, lit where that field looks, to this PNG");
  app.add_option("--out", a.out, "Write the brightness that the block makes to this PNG");
}

void run(const arguments& a) {
  const picture seen = read_picture(a.file);
  const xt::xtensor<float, 4> x = fields_of(seen);
  auto net =
      compile(block, a.trained.empty() ? drawing_weights(a.gamma, a.contrast) : load_weights(a.trained));
  net("x"_in = x);
  const auto start = std::chrono::steady_clock::now();
  auto result = net("x"_in = x);
  const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;
  const auto maps = result["maps"_out];
  const auto y = result["y"_out];

  double least = 2, most = 0;
  for (std::size_t j = 0; j < places; ++j) {
    const double sum = std::accumulate(&maps(0, j, 0), &maps(0, j, 0) + places, 0.0);
    least = std::min(least, sum), most = std::max(most, sum);
  }
  std::string text =
      fmt::format("{} parameters, {} x {} maps whose rows sum to {:.6f} to {:.6f}, {:.0f} us a call\n",
                  block_parameters, places, places, least, most, taken.count());
  text += fmt::format("the output {} the input\n",
                      std::equal(x.begin(), x.end(), y.begin()) ? "equals" : "differs from");

  const std::size_t from = a.row * side + a.column;
  const float* row = &maps(0, from, 0);
  std::vector<std::size_t> order(places);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::partial_sort(order.begin(), order.begin() + 5, order.end(), [&](std::size_t i, std::size_t j) {
    return row[i] > row[j] || (row[i] == row[j] && i < j);
  });
  text += fmt::format("row {}, column {} looks at\n", a.row, a.column);
  for (std::size_t k = 0; k < 5; ++k)
    text += fmt::format("  row {}, column {}  {:.3f}\n", order[k] / side, order[k] % side, row[order[k]]);
  program::print(text);

  std::vector<float> shown(pixels * pixels), made(pixels * pixels);
  const float gamma = net.weights()["gamma"_param][0](0);
  for (std::size_t i = 0; i < places; ++i)
    for (std::size_t v = 0; v < field; ++v)
      for (std::size_t u = 0; u < field; ++u) {
        const float lit = 0.15f + 0.85f * row[i] / row[order[0]];
        shown[at(i, v, u)] = seen.brightness[at(i, v, u)] * lit;
        made[at(i, v, u)] = y.data()[i * channels + v * field + u] / (1 + gamma);
      }
  if (!a.map.empty()) write_grey(a.map, shown);
  if (!a.out.empty()) write_grey(a.out, made);
}

} // namespace

int main(int count, char** words) {
  return program::run<arguments>(
      "sagan_block",
      "Shows which fields of a picture SAGAN's self-attention block relates, and what it makes of them.",
      count, words, declare, run);
}
