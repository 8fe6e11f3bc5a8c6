#pragma once

#include <audio/sound_file.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace audio {

/// Plays a sound to its end, each channel by itself: `play_channel` replaces the samples of a channel, `gain` times
/// as loud as they are in the file, a part at a time. What comes out is written to `out`, a WAV, unless that is
/// empty. Returns two lines that tell what was played, and how fast. Throws fovea::error where the sound
/// `in` holds no samples, `gain` is not from -1000 to 1000, or `out` has another ending or cannot be written.
std::string play(sound_reader& sound, const std::string& in, const std::string& out, double gain,
                 const std::function<void(std::size_t channel, std::span<float> samples)>& play_channel);

} // namespace audio
