#include <fovea/backends/reference/fourier.hpp>

namespace fovea::core::reference_ops {

namespace {

/// Calls f(place in the spectrum, place in the rows, factor) for all that a frame makes of a sample.
template <class F>
void for_each_term(const array_shape& rows, const array_shape& spectrum, const array& window,
                   const array& turns, const frames_in_rows& where, F f) {
  const std::size_t rank = rows.size(), frames = spectrum[rank - 2], bins = spectrum[rank - 1] / 2,
                    samples = rows[rank - 2] * rows[rank - 1], points = turns.size() / 2;
  std::size_t planes = 1;
  for (std::size_t i = 0; i + 2 < rank; ++i) planes *= rows[i];
  for (std::size_t plane = 0; plane < planes; ++plane)
    for (std::size_t t = 0; t < frames; ++t)
      for (std::size_t n = 0; n < window.size(); ++n) {
        const std::int64_t at =
            (static_cast<std::int64_t>(t) - where.before) * static_cast<std::int64_t>(rows[rank - 1]) +
            static_cast<std::int64_t>(n);
        if (at < 0 || at >= static_cast<std::int64_t>(samples)) continue;
        const std::size_t sample = plane * samples + static_cast<std::size_t>(at);
        for (std::size_t k = 0; k < bins; ++k) {
          const std::size_t real = (plane * frames + t) * 2 * bins + k,
                            angle = k * (n + static_cast<std::size_t>(where.first)) % points;
          f(real, sample, window.data()[n] * turns.data()[angle]);
          f(real + bins, sample, -window.data()[n] * turns.data()[points + angle]);
        }
      }
}

} // namespace

array stft(const array& x, const array& window, const array& turns, const frames_in_rows& where,
           const array_shape& shape) {
  array result = filled(shape, 0);
  for_each_term(
      shape_of(x), shape, window, turns, where,
      [&](std::size_t out, std::size_t in, double factor) { result.data()[out] += factor * x.data()[in]; });
  return result;
}

array transposed_stft(const array& spectrum, const array& window, const array& turns,
                      const frames_in_rows& where, const array_shape& shape) {
  array result = filled(shape, 0);
  for_each_term(shape, shape_of(spectrum), window, turns, where,
                [&](std::size_t in, std::size_t out, double factor) {
                  result.data()[out] += factor * spectrum.data()[in];
                });
  return result;
}

} // namespace fovea::core::reference_ops
