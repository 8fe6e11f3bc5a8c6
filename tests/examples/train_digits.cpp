// Runs of train_digits, and what it reads.

#include "program_run.hpp"

#include <train_digits/batches.hpp>
#include <train_digits/idx.hpp>

#include <fovea/base/error.hpp>

#include <catch2/catch.hpp>

#include <set>

#include <zlib.h>

using namespace train_digits;

namespace {

namespace fs = std::filesystem;

std::string big_endian(std::size_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

/// Image i shows digit i % 10 as a bar of its own, dark at its own place.
std::string images(std::size_t count) {
  std::string bytes = big_endian(2051) + big_endian(count) + big_endian(side) + big_endian(side);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t at = 0; at < side * side; ++at) {
      const std::size_t y = at / side, x = at % side, digit = i % 10;
      const bool is_ink = y / 2 == digit + 2 && x >= 4 && x < 14 + digit;
      bytes += static_cast<char>(is_ink ? 200 + i % 50 : 0);
    }
  return bytes;
}
std::string labels(std::size_t count) {
  std::string bytes = big_endian(2049) + big_endian(count);
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(i % 10);
  return bytes;
}

struct files {
  temporary_folder folder;
  std::string images_file = folder.write("images", images(70)).string(),
              labels_file = folder.write("labels", labels(70)).string();

  program_run run(std::vector<std::string> more) const {
    std::vector<std::string> words{FOVEA_TRAIN_DIGITS, images_file, labels_file, "--threads", "1",
                                   "--save-seconds",   "0"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(folder, words);
  }
  /// What reading these bytes throws.
  std::string problem(const std::string& of_images, const std::string& of_labels) const {
    const std::string a = folder.write("a", of_images).string(), b = folder.write("b", of_labels).string();
    const std::string said = message_of<fovea::error>([&] { read_digits(a, b); });
    return said.substr(std::min(said.size(), folder.path().string().size() + 1));
  }
};

} // namespace

TEST_CASE("every network learns to read digits", "[train_digits]") {
  const files f;
  for (const std::string model : {"gru", "cnn", "vit"}) {
    INFO(model);
    const std::vector<std::string> usual{
        "--model", model,    "--out", (f.folder / model).string(), "--batch", "16", "--evaluate-every",
        "2",       "--test", "10"};
    const auto learn = [&](std::vector<std::string> more) {
      more.insert(more.begin(), usual.begin(), usual.end());
      return f.run(more);
    };
    const program_run first = learn({"--steps", "3"});
    INFO(first.said);
    CHECK(first.status == 0);
    CHECK_THAT(first.said, Catch::Contains("60 images to learn from, 0 to choose by, 10 to test") &&
                               Catch::Contains("3 steps") && Catch::Contains("test, right"));
    const program_run more = learn({"--steps", "5", "--resume"});
    CHECK(more.status == 0);
    CHECK_THAT(more.said, Catch::Contains("5 steps"));
    CHECK_THAT(content(f.folder / model / "report.html"), Catch::Contains("<img alt=\"misread\""));
  }
  const program_run learned = f.run({"--model", "cnn", "--out", (f.folder / "long").string(), "--test", "10",
                                     "--batch", "16", "--steps", "80"});
  INFO(learned.said);
  CHECK_THAT(learned.said, Catch::Contains("test, right 100.00 % of 10"));
  CHECK(!fs::exists(f.folder / "long" / "misread.svg"));
}

TEST_CASE("images are chosen, and tested, apart from those that are learned from", "[train_digits]") {
  const files f;
  const program_run own =
      f.run({"--test-images", f.images_file, "--test-labels", f.labels_file, "--validation", "7",
             "--patience", "1", "--steps", "1", "--out", (f.folder / "own").string()});
  INFO(own.said);
  CHECK_THAT(own.said, Catch::Contains("63 images to learn from, 7 to choose by, 70 to test"));
}

TEST_CASE("idx files are read, compressed or not", "[train_digits]") {
  const files f;
  const digits plain = read_digits(f.images_file, f.labels_file);
  CHECK(plain.count() == 70);
  CHECK(plain.labels[37] == 7);
  CHECK(plain.image(13)[10 * side + 4] == 213);
  const std::string packed = (f.folder / "images.gz").string(), bytes = images(70);
  const gzFile out = gzopen(packed.c_str(), "wb");
  REQUIRE(gzwrite(out, bytes.data(), static_cast<unsigned>(bytes.size())) > 0);
  gzclose(out);
  CHECK(read_digits(packed, f.labels_file).pixels == plain.pixels);

  const std::string whole = content(packed);
  CHECK_THAT(f.problem(whole.substr(0, whole.size() / 2), labels(70)), Catch::StartsWith("a: "));
  CHECK(f.problem(labels(3), labels(3)) ==
        "a: expected an idx file that begins with the number 2051, found 2049");
  CHECK(f.problem("ab", labels(3)) ==
        "a: expected an idx file that begins with the number 2051, found 2 bytes");
  CHECK(f.problem(images(3).substr(0, 1000), labels(3)) ==
        "a: expected 2352 bytes behind the header, found 984");
  CHECK(f.problem(images(3) + "x", labels(3)) == "a: expected 2352 bytes behind the header, found more");
  CHECK(f.problem(big_endian(2051) + big_endian(1) + big_endian(28) + big_endian(27), labels(1)) ==
        "a: expected axis 2 to be 28, found 27");
  CHECK(f.problem(images(3), labels(4)) == "b: expected a label for each of 3 images, found 4");
  CHECK(f.problem(images(3), labels(2) + "\x0a") == "b: expected 2 bytes behind the header, found more");
  std::string wrong = labels(3);
  wrong.back() = 10;
  CHECK(f.problem(images(3), wrong) == "b: expected labels of 0 to 9, found 10 at 2");
}

TEST_CASE("bad input to train_digits is one line", "[train_digits]") {
  const files f;
  const auto refusal = [&](const std::vector<std::string>& words) {
    const program_run one = f.run(words);
    CHECK(one.status == 2);
    CHECK(one.is_one_line());
    return one.said;
  };
  CHECK_THAT(refusal({"--test", "70"}),
             Catch::Contains("images: expected more than 70 images, of which some test; found 70"));
  CHECK_THAT(refusal({"--test-images", f.images_file}), Catch::Contains("expected both or neither"));
  CHECK_THAT(refusal({"--patience", "3"}), Catch::Contains("--patience: expected --validation"));
  CHECK_THAT(refusal({"--model", "lstm"}), Catch::Contains("--model"));
  const program_run swapped = run_program(f.folder, {FOVEA_TRAIN_DIGITS, f.labels_file, f.images_file});
  CHECK(swapped.status == 2);
  CHECK_THAT(swapped.said, Catch::Contains("labels: expected an idx file that begins with the number 2051"));
  const program_run none = run_program(f.folder, {FOVEA_TRAIN_DIGITS, "/no/such/file", f.labels_file});
  CHECK(none.status == 2);
  CHECK(none.said == "train_digits: /no/such/file: cannot open: No such file or directory\n");
}

TEST_CASE("images are moved about", "[train_digits]") {
  digits dot{.pixels = std::vector<std::uint8_t>(3 * side * side), .labels = {4, 5, 6}};
  dot.pixels[side * side + 14 * side + 9] = 255;
  dot.pixels[2 * side * side] = 51; // in a corner
  const std::vector<std::size_t> which(90, 1);
  const batch still = batch_of(dot, std::vector<std::size_t>{2, 1});
  CHECK(still.pixels(0, 0, 0, 0) == Approx(0.2));
  CHECK(still.pixels(1, 14, 9, 0) == 1);
  CHECK(still.targets(0) == 6);
  CHECK((shifted_batch_of(dot, which, 0, 1, 1).pixels == batch_of(dot, which).pixels));

  const batch moved = shifted_batch_of(dot, which, 1, 7, 3);
  std::set<std::pair<std::size_t, std::size_t>> places;
  for (std::size_t row = 0; row < which.size(); ++row)
    for (std::size_t y = 0; y < side; ++y)
      for (std::size_t x = 0; x < side; ++x)
        if (moved.pixels(row, y, x, 0) > 0) places.emplace(y, x);
  CHECK(places == std::set<std::pair<std::size_t, std::size_t>>{
                      {13, 8}, {13, 9}, {13, 10}, {14, 8}, {14, 9}, {14, 10}, {15, 8}, {15, 9}, {15, 10}});
  CHECK((moved.pixels == shifted_batch_of(dot, which, 1, 7, 3).pixels));
  CHECK((moved.pixels != shifted_batch_of(dot, which, 1, 7, 4).pixels));

  // What leaves the image is gone.
  const batch corner = shifted_batch_of(dot, std::vector<std::size_t>(90, 2), 1, 7, 3);
  std::size_t kept = 0;
  for (const float x : corner.pixels) kept += x > 0 ? 1 : 0;
  CHECK(kept > 20);
  CHECK(kept < 60);
}
