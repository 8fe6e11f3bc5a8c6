#include "ears.hpp"
#include "network.hpp"

#include <fovea/base/error.hpp>
#include <fovea/fovea.hpp>

#include <algorithm>

namespace transcribe_program {
namespace {

auto stream_of(const std::filesystem::path& file) {
  return stream<F>(speech, load_weights(file, {.copy = true}),
                   {.capacity = {{B, 1}, {F, ears::frames_at_once}}, .threads = 1});
}

std::filesystem::path file_in(const std::filesystem::path& folder, const char* name) {
  if (!std::filesystem::is_regular_file(folder / name))
    throw fovea::error((folder / name).string() + ": no such file; train_speech writes it");
  return folder / name;
}

} // namespace

struct ears::state {
  decltype(stream_of({})) live;
  std::size_t early = latency(speech, F); // frames of its output that come before the first

  /// A stream's scores [1, frames, classes], without those before the first.
  template <class out>
  xt::xtensor<float, 2> scores_of(const out& all, std::size_t frames) {
    const std::size_t dropped = std::min(early, frames);
    early -= dropped;
    auto made =
        xt::xtensor<float, 2>::from_shape({frames - dropped, static_cast<std::size_t>(sizes::classes)});
    if (made.size() > 0) std::copy_n(&all(0, dropped, 0), made.size(), made.begin());
    return made;
  }
};

ears::ears(const std::filesystem::path& folder)
    : spells_(file_in(folder, "characters.json")),
      state_(new state{stream_of(file_in(folder, "speech.safetensors"))}) {
  static_assert(!decltype(state_->live)::counts_positions, "a recording may be of any length");
  state_->live.begin();
}
ears::~ears() = default;

xt::xtensor<float, 2> ears::listen(std::span<const float> samples) {
  const std::size_t frames = samples.size() / sizes::samples;
  xt::xtensor<float, 3> part({1, frames, static_cast<std::size_t>(sizes::samples)});
  std::ranges::copy(samples, part.begin());
  return state_->scores_of(state_->live.step("samples"_in = part)["scores"_out], frames);
}

xt::xtensor<float, 2> ears::end() {
  return state_->scores_of(state_->live.finish()["scores"_out], latency(speech, F));
}

} // namespace transcribe_program
