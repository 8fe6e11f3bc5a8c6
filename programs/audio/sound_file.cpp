#include "sound_file.hpp"

#include <fovea/base/error.hpp>
#include <fovea/base/regular_file.hpp>

#include <fmt/format.h>
#include <sndfile.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace audio {
namespace {

using handle = std::unique_ptr<SNDFILE, decltype(&sf_close)>;

/// How many bytes a sample takes in a WAV; 0: no whole number.
std::int64_t bytes_of_sample(int format) {
  switch (format & SF_FORMAT_SUBMASK) {
    case SF_FORMAT_PCM_U8:
    case SF_FORMAT_ULAW:
    case SF_FORMAT_ALAW:
      return 1;
    case SF_FORMAT_PCM_16:
      return 2;
    case SF_FORMAT_PCM_24:
      return 3;
    case SF_FORMAT_PCM_32:
    case SF_FORMAT_FLOAT:
      return 4;
    case SF_FORMAT_DOUBLE:
      return 8;
    default:
      return 0;
  }
}

/// How many frames the header of a WAV announces; 0 where it does not say. libsndfile tells how many there are.
std::int64_t announced_frames(SNDFILE* file, const SF_INFO& about) {
  constexpr std::uint32_t unknown = 0x7FFF0000; // what is written to a pipe says as much or more
  const int type = about.format & SF_FORMAT_TYPEMASK;
  const std::int64_t bytes = bytes_of_sample(about.format) * about.channels;
  if ((type != SF_FORMAT_WAV && type != SF_FORMAT_WAVEX) || bytes == 0) return 0;
  SF_CHUNK_INFO chunk{{'d', 'a', 't', 'a'}, 4, 0, nullptr};
  SF_CHUNK_ITERATOR* found = sf_get_chunk_iterator(file, &chunk);
  if (found == nullptr || sf_get_chunk_size(found, &chunk) != SF_ERR_NO_ERROR || chunk.datalen >= unknown)
    return 0;
  return chunk.datalen / bytes;
}

} // namespace

struct sound_reader::state {
  std::string name;
  SF_INFO about{};
  handle file{nullptr, &sf_close};
  std::int64_t announced = 0, taken = 0; // frames

  void expect_whole(std::int64_t found) const {
    if (found < announced)
      throw fovea::error(fmt::format("{}: expected {} frames, as its header says; found {}: it was cut short",
                                     name, announced, found));
  }
};

sound_reader::sound_reader(const std::string& file) : state_(std::make_shared<state>()) {
  state_->name = file == "-" ? "standard input" : file;
  const bool named = file != "-";
  const int from = named ? fovea::core::regular_file(file).release() : STDIN_FILENO;
  state_->file.reset(sf_open_fd(from, SFM_READ, &state_->about, named ? SF_TRUE : SF_FALSE));
  if (!state_->file) throw fovea::error(state_->name + ": cannot be read as sound: " + sf_strerror(nullptr));
  state_->announced = announced_frames(state_->file.get(), state_->about);
  if (named) state_->expect_whole(frames()); // what comes by a pipe ends first
}

int sound_reader::rate() const { return state_->about.samplerate; }
int sound_reader::channels() const { return state_->about.channels; }

std::int64_t sound_reader::frames() const {
  constexpr sf_count_t most = sf_count_t{1} << 48; // a pipe is said to have more
  const sf_count_t found = state_->about.frames;
  return found < 0 || found > most ? 0 : found;
}

std::size_t sound_reader::read(std::span<float> samples) {
  const auto wanted = static_cast<sf_count_t>(samples.size() / static_cast<std::size_t>(channels()));
  const sf_count_t got = sf_readf_float(state_->file.get(), samples.data(), wanted);
  if (sf_error(state_->file.get()) != SF_ERR_NO_ERROR)
    throw fovea::error(state_->name + ": cannot be read as sound: " + sf_strerror(state_->file.get()));
  const std::span<const float> found = samples.first(static_cast<std::size_t>(got * channels()));
  const auto odd = std::ranges::find_if_not(found, [](float x) { return std::isfinite(x); });
  if (odd != found.end()) {
    const std::int64_t frame = state_->taken + (odd - found.begin()) / channels();
    throw fovea::error(fmt::format("{}: expected samples that are numbers, found {} after {:.3f} s",
                                   state_->name, *odd, static_cast<double>(frame) / rate()));
  }
  state_->taken += got;
  if (got < wanted) state_->expect_whole(state_->taken);
  return static_cast<std::size_t>(got);
}

void expect_wav(const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
  if (ending != ".wav") throw fovea::error(file.string() + ": expected a name that ends in .wav");
}

void write_wav(const std::filesystem::path& file, std::span<const float> samples, int channels, int rate) {
  SF_INFO about{};
  about.samplerate = rate, about.channels = channels, about.format = SF_FORMAT_WAV | SF_FORMAT_FLOAT;
  const handle out(sf_open(file.c_str(), SFM_WRITE, &about), &sf_close);
  const auto frames = static_cast<sf_count_t>(samples.size() / static_cast<std::size_t>(channels));
  if (!out || sf_writef_float(out.get(), samples.data(), frames) != frames)
    throw fovea::error(file.string() + ": cannot be written: " + sf_strerror(out.get()));
}

} // namespace audio
