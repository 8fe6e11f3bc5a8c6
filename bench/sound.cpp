// How fast are spectra of sound, and the way back? Ten seconds of 16 kHz in frames that overlap by three quarters.
// bench/peers/sound.py times PyTorch on rows of the same names.

#include "program.hpp"
#include <algorithm>
#include <fovea/fovea.hpp>
#include <string>

namespace {

using namespace fovea;
using namespace fovea::core::bench;

inline constexpr dim T{"T"}, F{"F"};
inline constexpr int samples = 160'000;

template <int size>
inline constexpr auto forward = model("forward", [](graph& g) {
  const stft_result spectrum = stft(g.input<f32>("x", {T}), {.size = size});
  g.output("real", spectrum.real);
  g.output("imag", spectrum.imag);
});

template <int size>
inline constexpr auto back = model("back", [](graph& g) {
  constexpr int bins = size / 2 + 1;
  g.output("x", istft({g.input<f32>("real", {F, bins}), g.input<f32>("imag", {F, bins})}, {.size = size}));
});

inline constexpr auto heard =
    model("heard", [](graph& g) { g.output("log_mel", log_mel(g.input<f32>("x", {T}))); });

/// What speech models read: the same ten seconds as Whisper hears them.
void measure_log_mel(report& rows) {
  auto there = compile(heard, model_weights::from({}),
                       {.capacity = {{T, samples}}, .regime = regime::large, .threads = rows.threads});
  xt::xtensor<float, 1> x = xt::empty<float>({std::size_t{samples}});
  const buffer random = floats(samples);
  std::copy_n(random.get(), samples, x.data());
  timings us;
  us.take(200, [&] { there("x"_in = x); });
  rows.add("sound/log_mel/400", us);
}

template <int size>
void measure(report& rows) {
  constexpr int frames = samples / (size / 4) + 1, repeats = 200;
  const std::string name = std::to_string(size);
  auto there = compile(forward<size>, model_weights::from({}),
                       {.capacity = {{T, samples}}, .regime = regime::large, .threads = rows.threads});
  xt::xtensor<float, 1> x = xt::empty<float>({std::size_t{samples}});
  const buffer random = floats(samples);
  std::copy_n(random.get(), samples, x.data());
  timings us;
  us.take(repeats, [&] { there("x"_in = x); });
  rows.add("sound/stft/" + name, us);
  auto out = there("x"_in = x);
  const xt::xtensor<float, 2> real = out["real"_out], imag = out["imag"_out];
  auto again = compile(back<size>, model_weights::from({}),
                       {.capacity = {{F, frames}}, .regime = regime::large, .threads = rows.threads});
  timings back_us;
  back_us.take(repeats, [&] { again("real"_in = real, "imag"_in = imag); });
  rows.add("sound/istft/" + name, back_us);
}

} // namespace

int main(int argc, char** argv) {
  return run("Times spectra of sound, and the way back.", argc, argv, [](report& rows) {
    measure<400>(rows);
    measure<512>(rows);
    measure<1024>(rows);
    measure<2048>(rows);
    measure<4096>(rows);
    measure_log_mel(rows);
  });
}
