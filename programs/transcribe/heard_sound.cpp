#include "heard_sound.hpp"

#include <algorithm>

namespace fovea::programs {
namespace {

constexpr std::size_t mirrored = speech_hearing::size / 2; // samples in front of the first

void put_mirror_in_front(std::vector<float>& samples) {
  const std::vector<float> front(samples.begin() + 1,
                                 samples.begin() + static_cast<std::ptrdiff_t>(mirrored + 1));
  samples.insert(samples.begin(), front.rbegin(), front.rend());
}

} // namespace

heard_sound::heard_sound(recording& from, speech_hearing& hearing, const std::function<void()>& each) {
  constexpr std::size_t hop = speech_hearing::hop, at_once = speech_hearing::most_frames;
  std::size_t total = 0;
  std::vector<float> waiting; // from the first sample of the next frame on
  bool begun = false;
  for (std::vector<float> more = from.next(); !more.empty(); more = from.next()) {
    total += more.size();
    waiting.insert(waiting.end(), more.begin(), more.end());
    if (!begun && waiting.size() > mirrored) put_mirror_in_front(waiting), begun = true;
    while (begun && waiting.size() >= speech_hearing::samples_of(at_once)) take(waiting, at_once, hearing);
    each();
  }
  if (!begun) {
    waiting.resize(mirrored + 1);
    put_mirror_in_front(waiting);
  }
  // The last frames reach behind the end. Those that begin there count for the largest alone.
  const std::size_t frames = total / hop, with_ends = frames + 3;
  for (std::size_t done = features_.size() / mels_; done < with_ends;) {
    const std::size_t count = std::min(at_once, with_ends - done);
    waiting.resize(std::max(waiting.size(), speech_hearing::samples_of(count)));
    take(waiting, count, hearing);
    done += count;
  }
  const float largest = *std::ranges::max_element(features_);
  features_.resize(frames * mels_);
  for (float& x : features_) x = (std::max(x, largest - 8) + 4) / 4;
}

void heard_sound::take(std::vector<float>& samples, std::size_t frames, speech_hearing& hearing) {
  const std::span<const float> logs =
      hearing.logs_of(std::span(samples).first(speech_hearing::samples_of(frames)));
  mels_ = logs.size() / frames;
  features_.insert(features_.end(), logs.begin(), logs.end());
  samples.erase(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(frames * speech_hearing::hop));
}

std::vector<float> heard_sound::window(std::size_t first, std::size_t size) const {
  std::vector<float> made(size * mels_);
  const std::size_t begin = std::min(first, frames()), end = std::min(first + size, frames());
  std::copy(features_.begin() + static_cast<std::ptrdiff_t>(begin * mels_),
            features_.begin() + static_cast<std::ptrdiff_t>(end * mels_), made.begin());
  return made;
}

} // namespace fovea::programs
