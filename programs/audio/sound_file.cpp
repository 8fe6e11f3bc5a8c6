#include "sound_file.hpp"

#include <fovea/base/error.hpp>
#include <fovea/base/regular_file.hpp>

#include <sndfile.h>

#include <unistd.h>

namespace audio {
namespace {

using handle = std::unique_ptr<SNDFILE, decltype(&sf_close)>;

} // namespace

struct sound_reader::state {
  std::string name;
  SF_INFO about{};
  handle file{nullptr, &sf_close};
};

sound_reader::sound_reader(const std::string& file) : state_(std::make_shared<state>()) {
  state_->name = file == "-" ? "standard input" : file;
  const bool named = file != "-";
  const int from = named ? fovea::core::regular_file(file).release() : STDIN_FILENO;
  state_->file.reset(sf_open_fd(from, SFM_READ, &state_->about, named ? SF_TRUE : SF_FALSE));
  if (!state_->file) throw fovea::error(state_->name + ": cannot be read as sound: " + sf_strerror(nullptr));
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
  return static_cast<std::size_t>(got);
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
