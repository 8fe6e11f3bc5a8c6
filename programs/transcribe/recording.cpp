#include "recording.hpp"

#include <fovea/base/error.hpp>

#include <fmt/format.h>
#include <samplerate.h>

#include <new>

namespace fovea::programs {
namespace {

constexpr std::size_t frames_at_once = 1 << 14;

} // namespace

struct recording::state {
  std::unique_ptr<SRC_STATE, decltype(&src_delete)> converter{nullptr, &src_delete};
};

recording::recording(const std::string& file)
    : name_(file == "-" ? "standard input" : file), sound_(file), state_(std::make_shared<state>()) {
  if (sound_.rate() < 1 || sound_.channels() < 1)
    throw error(fmt::format("{}: expected sound of at least 1 Hz and 1 channel, found {} Hz and {} channels",
                            name_, sound_.rate(), sound_.channels()));
  if (sound_.rate() == rate) return;
  if (src_is_valid_ratio(static_cast<double>(rate) / sound_.rate()) == 0)
    throw error(fmt::format("{}: expected sound of {} to {} Hz, found {} Hz", name_, (rate + 255) / 256,
                            rate * 256, sound_.rate()));
  int problem = 0;
  state_->converter.reset(src_new(SRC_SINC_MEDIUM_QUALITY, 1, &problem));
  if (!state_->converter) throw std::bad_alloc();
}

double recording::seconds_read() const { return static_cast<double>(frames_) / sound_.rate(); }
double recording::seconds() const { return static_cast<double>(sound_.frames()) / sound_.rate(); }

std::vector<float> recording::channels_joined(std::span<const float> read) {
  const auto channels = static_cast<std::size_t>(sound_.channels());
  std::vector<float> made(read.size() / channels);
  for (std::size_t i = 0; i < made.size(); ++i) {
    for (const float x : read.subspan(i * channels, channels)) made[i] += x;
    made[i] /= static_cast<float>(channels);
  }
  return made;
}

std::vector<float> recording::at_rate(std::vector<float>& samples, bool is_last) {
  if (!state_->converter) return std::move(samples);
  const double ratio = static_cast<double>(rate) / sound_.rate();
  std::vector<float> made, part(frames_at_once);
  SRC_DATA data{};
  data.src_ratio = ratio;
  data.input_frames = static_cast<long>(samples.size());
  samples.push_back(0); // where there is no address, nothing that the filter still holds comes out
  data.data_in = samples.data();
  data.end_of_input = is_last ? 1 : 0;
  do {
    data.data_out = part.data(), data.output_frames = static_cast<long>(part.size());
    if (const int problem = src_process(state_->converter.get(), &data); problem != 0)
      throw error(name_ + ": cannot be brought to 16000 Hz: " + src_strerror(problem));
    made.insert(made.end(), part.begin(), part.begin() + data.output_frames_gen);
    data.data_in += data.input_frames_used, data.input_frames -= data.input_frames_used;
  } while (data.input_frames > 0 || data.output_frames_gen > 0);
  return made;
}

std::vector<float> recording::next() {
  while (!ended_) {
    std::vector<float> read(frames_at_once * static_cast<std::size_t>(sound_.channels()));
    const std::size_t got = sound_.read(read);
    frames_ += got;
    if (frames_ == 0) throw error(name_ + ": holds no samples");
    ended_ = got == 0;
    std::vector<float> joined =
        channels_joined(std::span(read).first(got * static_cast<std::size_t>(sound_.channels())));
    std::vector<float> made = at_rate(joined, ended_);
    if (!made.empty()) return made;
  }
  return {};
}

} // namespace fovea::programs
