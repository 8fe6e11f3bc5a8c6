#include <audio/play.hpp>
#include <audio/sound_file.hpp>
#include <stream_audio/sound_network.hpp>

#include "../file_content.hpp"
#include "../weights/temporary_folder.hpp"

#include <fovea/base/error.hpp>

#include <nlohmann/json.hpp>

#include <catch2/catch.hpp>

#include <unistd.h>

#include <array>
#include <cmath>
#include <stdexcept>

using namespace stream_audio_program;
using nlohmann::json;

namespace {

/// Bytes that come from the standard input by a pipe.
class piped_input {
public:
  explicit piped_input(const std::string& bytes) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0 ||
        write(ends[1], bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
      throw std::runtime_error("no pipe");
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
  }
  ~piped_input() {
    dup2(before_, STDIN_FILENO);
    close(before_);
  }
  piped_input(const piped_input&) = delete;
  piped_input& operator=(const piped_input&) = delete;

private:
  int before_ = dup(STDIN_FILENO);
};

json ramp(std::size_t rows, std::size_t columns, double step) {
  json made = json::array();
  for (std::size_t i = 0; i < rows; ++i) {
    json row = json::array();
    for (std::size_t j = 0; j < columns; ++j)
      row.push_back(step * (static_cast<double>((i * columns + j) % 7) - 3));
    made.push_back(row);
  }
  return made;
}

/// An LSTM of a width and a dense layer, as RTNeural exports them from Keras.
json lstm_network(std::size_t width) {
  const json lstm{{"type", "lstm"},
                  {"activation", "tanh"},
                  {"weights", json::array({ramp(1, 4 * width, 0.2), ramp(width, 4 * width, 0.05),
                                           ramp(1, 4 * width, 0.1)[0]})}};
  const json dense{{"type", "dense"},
                   {"activation", ""},
                   {"weights", json::array({ramp(width, 1, 0.3), json::array({0.25})})}};
  return {{"in_shape", {nullptr, nullptr, 1}}, {"layers", {lstm, dense}}};
}

} // namespace

TEST_CASE("a network moves sample by sample, and begins anew", "[stream_audio]") {
  const temporary_folder folder;
  const auto from = fovea::load_weights(folder.write("lstm.json", lstm_network(8).dump()));
  CHECK(layers_of(from) == "in 1, lstm 8, dense 1");
  const auto plain = network_of(from, false), skip = network_of(from, true);
  std::vector<float> first;
  for (int i = 0; i < 50; ++i) {
    const float x = std::sin(0.3f * static_cast<float>(i));
    first.push_back(plain->step(x));
    CHECK(skip->step(x) == Approx(first.back() + x).margin(1e-6));
  }
  CHECK(first[0] != first[1]);
  const auto fresh = plain->fresh();
  for (int i = 0; i < 50; ++i)
    CHECK(fresh->step(std::sin(0.3f * static_cast<float>(i))) == first[static_cast<std::size_t>(i)]);
}

TEST_CASE("a network that the program does not have is said by its layers", "[stream_audio]") {
  const temporary_folder folder;
  const auto problem = [&](const json& network) {
    const auto from = fovea::load_weights(folder.write("x.json", network.dump()));
    const std::string whole = message_of<fovea::error>([&] { network_of(from, false); });
    REQUIRE(whole.starts_with(from.source() + ": "));
    return whole.substr(from.source().size() + 2);
  };
  CHECK(problem(lstm_network(9)) ==
        "the program is compiled for no network of the layers \"in 1, lstm 9, dense 1\"; add it to "
        "examples/stream_audio/networks.hpp, or see --networks");
  CHECK(problem({{"weight", {1.0, 2.0}}}) ==
        "expected a network that RTNeural exported from Keras, which says its layers");
  json odd = lstm_network(8);
  odd["layers"][1]["activation"] = "swish";
  CHECK(problem(odd) == "layer 1 is dense swish, which this program does not know");
}

TEST_CASE("a WAV that comes by a pipe and was cut is refused at its end", "[audio]") {
  const temporary_folder folder;
  audio::write_wav(folder / "x.wav", std::vector<float>{0, 0.5f, -0.25f, 1, -1, 0.125f}, 2, 48000);
  const std::string whole = content(folder / "x.wav");
  const auto frames_of = [](const std::string& sound) {
    const piped_input input(sound);
    audio::sound_reader reader("-");
    std::vector<float> read(64);
    return reader.read(read);
  };
  CHECK(frames_of(whole) == 3);
  CHECK_THROWS_WITH(frames_of(whole.substr(0, whole.size() - 8)),
                    "standard input: expected 3 frames, as its header says; found 2: it was cut short");
  // Who writes to a pipe does not know how much comes.
  std::string unknown = whole;
  unknown.replace(unknown.find("data") + 4, 4, "\xff\xff\xff\xff");
  CHECK(frames_of(unknown.substr(0, unknown.size() - 8)) == 2);
}

TEST_CASE("sound is written and read", "[audio]") {
  const temporary_folder folder;
  const std::vector<float> samples{0, 0.5f, -0.25f, 1, -1, 0.125f};
  audio::write_wav(folder / "x.wav", samples, 2, 48000);
  audio::sound_reader reader((folder / "x.wav").string());
  CHECK(reader.rate() == 48000);
  CHECK(reader.channels() == 2);
  std::vector<float> read(4);
  CHECK(reader.read(read) == 2);
  CHECK(read == std::vector<float>{0, 0.5f, -0.25f, 1});
  CHECK(reader.read(read) == 1);
  CHECK(read[0] == -1);
  CHECK(reader.read(read) == 0);

  const std::string cut = (folder / "cut.wav").string();
  std::filesystem::copy_file(folder / "x.wav", cut);
  std::filesystem::resize_file(cut, std::filesystem::file_size(cut) - 8);
  CHECK_THROWS_WITH(audio::sound_reader(cut),
                    cut + ": expected 3 frames, as its header says; found 2: it was cut short");

  const std::string odd = (folder / "odd.wav").string();
  audio::write_wav(odd, std::vector<float>{0, 0, 0, std::numeric_limits<float>::infinity(), 0, 0}, 2, 48000);
  audio::sound_reader odd_reader(odd);
  CHECK_THROWS_WITH(odd_reader.read(read),
                    odd + ": expected samples that are numbers, found inf after 0.000 s");
  const auto played_over = [&](const std::string& out) {
    audio::sound_reader sound((folder / "x.wav").string());
    audio::play(sound, (folder / "x.wav").string(), out, 1, [](std::size_t, std::span<float>) {});
  };
  CHECK_THROWS_WITH(played_over((folder / "." / "x.wav").string()),
                    (folder / "." / "x.wav").string() +
                        ": expected another file than the one that is played");
  played_over((folder / "y.wav").string());
  played_over((folder / "z.WAV").string());
  CHECK_THROWS_WITH(played_over((folder / "y.mp3").string()),
                    (folder / "y.mp3").string() + ": expected a name that ends in .wav");
  const auto played_with = [&](double gain) {
    audio::sound_reader sound((folder / "x.wav").string());
    audio::play(sound, (folder / "x.wav").string(), "", gain, [](std::size_t, std::span<float>) {});
  };
  played_with(-1000);
  CHECK_THROWS_WITH(played_with(1001), "gain: expected a number from -1000 to 1000, found 1001");
  CHECK_THROWS_WITH(played_with(std::nan("")), "gain: expected a number from -1000 to 1000, found nan");

  const std::string text = folder.write("x.txt", "no sound").string(),
                    absent = (folder / "absent.wav").string();
  CHECK_THROWS_WITH(audio::sound_reader(text),
                    Catch::Matchers::StartsWith(text + ": cannot be read as sound: "));
  CHECK_THROWS_WITH(audio::sound_reader(absent), Catch::Matchers::StartsWith(absent + ": cannot open: "));
  CHECK_THROWS_WITH(
      audio::write_wav(folder / "no" / "x.wav", samples, 2, 48000),
      Catch::Matchers::StartsWith((folder / "no" / "x.wav").string() + ": cannot be written: "));
}
