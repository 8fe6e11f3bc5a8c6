#include "detector.hpp"

#include <fovea/fovea.hpp>
#include <fovea/models/silero_vad.hpp>

#include <algorithm>

namespace voice_activity_program {

using namespace fovea;

static_assert(detector::chunk == models::silero_vad_sizes::samples);

namespace {

constexpr dim T{"T"};

auto stream_of(const std::filesystem::path& file) {
  return stream<T>(models::silero_vad, load_weights(file, {.copy = true}),
                   {.capacity = {{"B", 1}, {"T", 1}}, .threads = 1});
}

} // namespace

struct detector::state {
  decltype(stream_of({})) live;
  xt::xtensor<float, 3> samples = xt::zeros<float>({1, 1, static_cast<int>(chunk)});
};

detector::detector(const std::filesystem::path& weights) : state_(new state{stream_of(weights)}) {
  static_assert(!decltype(state_->live)::counts_positions, "a recording may be of any length");
  state_->live.begin();
}
detector::~detector() = default;

float detector::step(std::span<const float> samples) {
  std::copy_n(samples.begin(), chunk, state_->samples.begin());
  return state_->live.step("samples"_in = state_->samples)["probability"_out](0, 0);
}

} // namespace voice_activity_program
