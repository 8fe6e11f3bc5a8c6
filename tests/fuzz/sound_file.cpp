#include "fuzzed.hpp"

#include "../../programs/audio/sound_file.hpp"

#include <array>

void fovea::core::fuzz::run(std::string_view input) {
  static const input_file file("sound.wav");
  attempt([&] {
    audio::sound_reader sound(file.holding(input).string());
    std::array<float, 4096> samples;
    constexpr int most_reads = 64; // a header may declare hours of silence
    for (int i = 0; i < most_reads && sound.read(samples) > 0; ++i) {
    }
  });
}
