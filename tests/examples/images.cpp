// Pictures of files, and what CLIP's preprocessing makes of them.

#include "../file_content.hpp"
#include "../weights/temporary_folder.hpp"

#include <clip/preprocessing.hpp>
#include <picture/canvas.hpp>
#include <picture/image.hpp>
#include <picture/resize.hpp>

#include <fovea/base/error.hpp>

#include <catch2/catch.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <zlib.h>
#ifdef FOVEA_WITH_JPEG
#include <jpeglib.h>
#endif

using namespace picture;
using clip_program::preprocessing;

namespace {

using bytes = std::vector<std::uint8_t>;

std::string big_endian(std::size_t value, int count) {
  std::string text;
  for (int shift = 8 * (count - 1); shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 0xff);
  return text;
}

std::string chunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian(data.size(), 4) + body + big_endian(sum, 4);
}

enum colour_type { grey_type = 0, rgb_type = 2, palette_type = 3, grey_alpha_type = 4, rgb_alpha_type = 6 };

/// A PNG of these rows, which are not filtered; `more` are chunks in front of them.
std::string png(std::size_t width, std::size_t height, int bits, colour_type type, const std::string& rows,
                const std::string& more = "") {
  std::string data;
  const std::size_t row = rows.size() / height;
  for (std::size_t y = 0; y < height; ++y) data += '\0' + rows.substr(y * row, row);
  uLongf size = compressBound(data.size());
  std::string packed(size, '\0');
  REQUIRE(compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                   reinterpret_cast<const Bytef*>(data.data()), data.size()) == Z_OK);
  packed.resize(size);
  const std::string kind = {static_cast<char>(bits), static_cast<char>(type), 0, 0, 0};
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", big_endian(width, 4) + big_endian(height, 4) + kind) + more +
         chunk("IDAT", packed) + chunk("IEND", "");
}

/// What reading these bytes throws.
std::string problem(const std::string& content) {
  return message_of<fovea::error>([&] { read_image(content, "p"); });
}

/// A picture by a formula.
image drawn(std::size_t width, std::size_t height) {
  image made{.width = width, .height = height};
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x)
      for (const std::size_t value : {7 * x + 3 * y, x * x + y, x ^ y})
        made.rgb.push_back(static_cast<std::uint8_t>(value));
  return made;
}

std::string as_png(const image& from) {
  return png(from.width, from.height, 8, rgb_type, std::string(from.rgb.begin(), from.rgb.end()));
}

/// A number that changes with every byte and with their order.
std::uint32_t sum_of(const bytes& values) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += static_cast<std::uint32_t>(i % 997 + 1) * values[i];
  return sum;
}

preprocessing preprocessing_of(const temporary_folder& folder, const std::string& json,
                               std::size_t side = 224) {
  folder.write("preprocessor_config.json", json);
  return clip_program::read_preprocessing(folder.path(), side);
}

} // namespace

TEST_CASE("each kind of PNG becomes red, green and blue", "[images]") {
  const std::string palette = chunk("PLTE", std::string("\x0a\x14\x1e\x28\x32\x3c", 6)),
                    clear = chunk("tRNS", std::string("\x80\x00", 2));
  const auto rgb_of = [](const std::string& content) { return read_image(content, "p").rgb; };
  CHECK(rgb_of(png(2, 1, 8, rgb_type, "\x01\x02\x03\xfd\xfe\xff")) == bytes{1, 2, 3, 253, 254, 255});
  CHECK(rgb_of(png(2, 1, 8, grey_type, "\x07\xc8")) == bytes{7, 7, 7, 200, 200, 200});
  CHECK(rgb_of(png(3, 1, 1, grey_type, "\xa0")) == bytes{255, 255, 255, 0, 0, 0, 255, 255, 255});
  CHECK(rgb_of(png(2, 1, 2, grey_type, "\x60")) == bytes{85, 85, 85, 170, 170, 170});
  CHECK(rgb_of(png(2, 1, 8, palette_type, std::string("\x01\x00", 2), palette)) ==
        bytes{40, 50, 60, 10, 20, 30});
  CHECK(rgb_of(png(2, 1, 4, palette_type, "\x10", palette + clear)) == bytes{40, 50, 60, 10, 20, 30});
  CHECK(rgb_of(png(1, 1, 8, grey_alpha_type, std::string("\x09\x00", 2))) == bytes{9, 9, 9});
  CHECK(rgb_of(png(1, 2, 8, rgb_alpha_type, std::string("\x09\x08\x07\x00\x01\x02\x03\xff", 8))) ==
        bytes{9, 8, 7, 1, 2, 3});
  CHECK(rgb_of(png(1, 1, 16, rgb_type, std::string("\x12\xff\x34\x00\x56\x80", 6))) ==
        bytes{0x12, 0x34, 0x56});
  CHECK(rgb_of(png(1, 1, 16, grey_type, "\x12\xff")) == bytes{0x12, 0x12, 0x12});
}

TEST_CASE("portable maps are read", "[images]") {
  CHECK(read_image("P6 2 1\n255\n\x01\x02\x03\x04\x05\x06", "p").rgb == bytes{1, 2, 3, 4, 5, 6});
  CHECK(read_image("P5\n# by hand\n1 2 255 \x07\x08", "p").rgb == bytes{7, 7, 7, 8, 8, 8});
  CHECK(problem("P6 2 1 255 abc") == "p: expected 6 bytes behind the header, found 3");
  CHECK(problem("P6 2 x") == "p: expected a number behind P5 or P6 that is its height");
  CHECK(problem("P5 2 2 65535 ") == "p: expected values up to 255, found up to 65535");
  CHECK(problem("P5 0 2 255 ") == "p: expected a picture of 1 to 200000000 pixels, found 0 x 2");
}

TEST_CASE("what is no picture, or a damaged one, is refused in one sentence", "[images]") {
  CHECK(problem("GIF89a") == "p: expected a picture as PNG, JPEG, PPM or PGM");
  CHECK(problem("") == "p: expected a picture as PNG, JPEG, PPM or PGM");
  const std::string whole = as_png(drawn(40, 30));
  for (std::size_t size = 8; size + 12 < whole.size(); size += 31)
    CHECK(problem(whole.substr(0, size)) == "p: the PNG is damaged: the file ends before its picture does");
  std::string damaged = whole;
  damaged[60] = static_cast<char>(damaged[60] ^ 1);
  CHECK_THAT(problem(damaged), Catch::StartsWith("p: the PNG is damaged: "));
  CHECK(problem(png(100'000, 100'000, 8, rgb_type, std::string(100'000, 'x'))) ==
        "p: expected a picture of 1 to 200000000 pixels, found 100000 x 100000");
  const temporary_folder folder;
  for_each_irregular(folder, [](const std::filesystem::path& path, const std::string& what) {
    CHECK(message_of<fovea::error>([&] { read_image(path); }) == path.string() + what);
  });
}

#ifdef FOVEA_WITH_JPEG
namespace {

/// A JPEG of one colour, whose channels are given.
std::string jpeg(const bytes& channels, J_COLOR_SPACE space, bool progressive = false) {
  constexpr JDIMENSION width = 20, height = 10;
  jpeg_compress_struct to{};
  jpeg_error_mgr errors{};
  to.err = jpeg_std_error(&errors);
  jpeg_create_compress(&to);
  unsigned char* made = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&to, &made, &size);
  to.image_width = width, to.image_height = height;
  to.input_components = static_cast<int>(channels.size());
  to.in_color_space = space;
  jpeg_set_defaults(&to);
  jpeg_set_quality(&to, 100, TRUE);
  if (progressive) jpeg_simple_progression(&to);
  jpeg_start_compress(&to, TRUE);
  bytes row;
  for (std::size_t x = 0; x < width; ++x) row.insert(row.end(), channels.begin(), channels.end());
  for (unsigned char* line = row.data(); to.next_scanline < height;) jpeg_write_scanlines(&to, &line, 1);
  jpeg_finish_compress(&to);
  const std::string content(made, made + size);
  jpeg_destroy_compress(&to);
  std::free(made);
  return content;
}

} // namespace

TEST_CASE("each kind of JPEG becomes red, green and blue", "[images]") {
  const auto check = [](const bytes& channels, J_COLOR_SPACE space, const std::vector<int>& expected) {
    const image found = read_image(jpeg(channels, space), "p");
    CHECK((found.width == 20 && found.height == 10));
    REQUIRE(found.rgb.size() == 600);
    for (std::size_t i = 0; i < 600; ++i) CHECK(std::abs(found.rgb[i] - expected[i % 3]) <= 2);
  };
  check({200, 100, 50}, JCS_RGB, {200, 100, 50});
  check({77}, JCS_GRAYSCALE, {77, 77, 77});
  check({255, 128, 0, 255}, JCS_CMYK, {255, 128, 0});
  check({200, 200, 200, 128}, JCS_CMYK, {100, 100, 100});

  const std::string whole = jpeg({200, 100, 50}, JCS_RGB);
  for (const std::size_t size : {whole.size() / 4, whole.size() / 2, whole.size() - 10})
    CHECK_THAT(problem(whole.substr(0, size)), Catch::StartsWith("p: the JPEG is damaged: "));

  const std::string scans = jpeg({200, 100, 50}, JCS_RGB, true);
  CHECK(read_image(scans, "p").rgb.size() == 600);
  const std::size_t first = scans.find("\xff\xda"), second = scans.find("\xff\xc4", first);
  std::string many = scans.substr(0, second);
  for (int i = 0; i < 100; ++i) many += scans.substr(first, second - first);
  CHECK(problem(many + scans.substr(second)) == "p: the JPEG is damaged: it has more than 100 scans");
}
#endif

TEST_CASE("pictures are resized as Pillow does", "[images]") {
  // Of Pillow 13 with BICUBIC: the middle 224 x 224 of each.
  struct known {
    std::size_t width, height;
    std::uint32_t sum;
    bytes first, inside, last;
  };
  for (const known& k :
       std::vector<known>{{500, 350, 921065954, {9, 201, 75}, {122, 183, 25}, {172, 141, 247}},
                          {61, 97, 3212522918, {52, 18, 18}, {203, 139, 38}, {144, 79, 115}},
                          {224, 224, 920926353, {0, 0, 0}, {47, 189, 65}, {182, 32, 0}},
                          {3, 900, 3029782262, {63, 192, 192}, {68, 193, 193}, {88, 199, 193}},
                          {1200, 260, 978749557, {214, 125, 213}, {95, 116, 115}, {244, 146, 219}}}) {
    INFO(k.width << " x " << k.height);
    const std::size_t shorter = std::min(k.width, k.height);
    const std::size_t width = 224 * k.width / shorter, height = 224 * k.height / shorter;
    const image part =
        resized(drawn(k.width, k.height), width, height, {(width - 224) / 2, (height - 224) / 2, 224, 224});
    CHECK(sum_of(part.rgb) == k.sum);
    const auto pixel = [&](std::size_t y, std::size_t x) {
      const std::uint8_t* at = &part.rgb[3 * (224 * y + x)];
      return bytes{at[0], at[1], at[2]};
    };
    CHECK(pixel(0, 0) == k.first);
    CHECK(pixel(100, 37) == k.inside);
    CHECK(pixel(223, 223) == k.last);
  }
  const image small = thumbnail(drawn(300, 100), 60), same = thumbnail(drawn(30, 20), 60);
  CHECK((small.width == 60 && small.height == 20 && same.width == 30));
  CHECK(same.rgb == drawn(30, 20).rgb);
}

TEST_CASE("pictures are prepared as transformers' CLIPImageProcessor does", "[images]") {
  const temporary_folder folder;
  const preprocessing published = preprocessing_of(
      folder,
      R"({"crop_size":224,"do_center_crop":true,"do_normalize":true,"do_resize":true,"size":224,"resample":3,
                  "image_mean":[0.48145466,0.4578275,0.40821073],"image_std":[0.26862954,0.26130258,0.27577711]})");
  for (const preprocessing& prepare :
       {published, preprocessing_of(folder, "{}"),
        preprocessing_of(folder,
                         R"({"size":{"shortest_edge":224},"crop_size":{"height":224,"width":224}})")}) {
    const clip_program::pixels found = prepare(drawn(500, 350));
    REQUIRE(found.size() == 224 * 224 * 3);
    const float* pixel = &found[3 * (224 * 100 + 37)];
    CHECK(pixel[0] == Approx(-0.01125).margin(1e-5));
    CHECK(pixel[1] == Approx(0.99432).margin(1e-5));
    CHECK(pixel[2] == Approx(-1.12472).margin(1e-5));
  }
  CHECK(preprocessing_of(folder, R"({"size":20,"crop_size":16})", 16)(drawn(90, 30)).size() == 16 * 16 * 3);
}

TEST_CASE("preprocessing that is not known is refused", "[images]") {
  const temporary_folder folder;
  const std::string file = (folder / "preprocessor_config.json").string();
  const auto refusal = [&](const std::string& json) {
    const std::string said = message_of<fovea::error>([&] { preprocessing_of(folder, json); });
    return said.substr(std::min(said.size(), file.size()));
  };
  CHECK(refusal("[]") == ": expected an object, found []");
  CHECK(refusal(R"({"resample":2})") == ": expected resample to be 3, found 2");
  CHECK(refusal(R"({"do_center_crop":false})") == ": expected do_center_crop to be true, found false");
  CHECK(refusal(R"({"crop_size":336})") == ": expected crop_size to be the network's 224, found 336");
  CHECK(refusal(R"({"size":200})") == ": expected size to be at least the network's 224, found 200");
  CHECK_THAT(refusal(R"({"size":{"height":224,"width":224}})"),
             Catch::StartsWith(
                 ": expected size to be an object with a number from 1 to 16384 as shortest_edge, found "));
  CHECK_THAT(refusal(R"({"crop_size":{"height":224,"width":220}})"),
             Catch::Contains("as height and width, found"));
  CHECK_THAT(refusal(R"({"size":-1})"), Catch::StartsWith(": expected size to be a number from 1"));
  CHECK(refusal(R"({"image_std":[1,0,1]})") ==
        ": expected image_std to be three numbers, for red, green and blue, found [1,0,1]");
}

TEST_CASE("a processor_config.json has the preprocessing in it", "[images]") {
  const temporary_folder folder;
  const std::string whole = (folder / "processor_config.json").string();
  CHECK(message_of<fovea::error>([&] { clip_program::read_preprocessing(folder.path(), 224); }) ==
        (folder / "preprocessor_config.json").string() +
            ": no such file, and no image_processor in processor_config.json; a checkpoint's folder has one "
            "beside its weights");
  folder.write("processor_config.json", R"({"processor_class": "CLIPProcessor", "image_processor":
    {"size": {"shortest_edge": 20}, "crop_size": {"height": 16, "width": 16}, "image_mean": [0.5, 0.25, 0.125]}})");
  CHECK(clip_program::read_preprocessing(folder.path(), 16).mean == std::array{0.5, 0.25, 0.125});
  CHECK(message_of<fovea::error>([&] { clip_program::read_preprocessing(folder.path(), 224); }) ==
        whole + ": image_processor: expected crop_size to be the network's 224, found 16");
  folder.write("preprocessor_config.json", R"({"size": 30, "crop_size": 16})"); // which goes behind it
  CHECK(clip_program::read_preprocessing(folder.path(), 16).shortest_edge == 20);
  folder.write("processor_config.json", R"({"processor_class": "CLIPProcessor"})");
  CHECK(clip_program::read_preprocessing(folder.path(), 16).shortest_edge == 30);
}

TEST_CASE("a picture is placed in a drawing", "[images]") {
  const temporary_folder folder;
  canvas to;
  to.place(read_image("P6 1 1 255 \xff\x01\x01", "red"), {0, 0}, 10);
  to.save(folder / "drawing.png");
  const image drawing = read_image(folder / "drawing.png");
  const auto red = [&](std::size_t x, std::size_t y) {
    const std::uint8_t* at = &drawing.rgb[3 * (y * drawing.width + x)];
    return at[0] > 250 && at[1] < 5 && at[2] < 5;
  };
  CHECK(drawing.width == 68); // two dots a unit, and a margin of 12
  CHECK((red(26, 26) && red(41, 41) && !red(20, 30)));
}
