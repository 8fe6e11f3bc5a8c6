#include <fovea/backends/rope_turns.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fovea::core {
namespace {

using std::numbers::pi;

/// Llama 3.1: pairs that turn more than `high` times within the trained positions stay, those that turn less than `low`
/// times turn slower, and those between are mixed by how many times they turn.
double llama3(double turn, const rope_scaling& s) {
  const double times = s.positions * turn / (2 * pi),
               kept = std::clamp((times - s.low) / (s.high - s.low), 0.0, 1.0);
  return kept * turn + (1 - kept) * turn / s.factor;
}

/// YaRN (Peng et al. 2024, eq. 23): as Llama 3's, but mixed by the number of the pair, between the whole pairs around
/// those that turn `high` and `low` times.
struct yarn_ramp {
  double first, last;

  yarn_ramp(double base, double width, const rope_scaling& s) {
    const auto pair_that_turns = [&](double times) {
      return width * std::log(s.positions / (times * 2 * pi)) / (2 * std::log(base));
    };
    first = std::max(std::floor(pair_that_turns(s.high)), 0.0);
    last = std::min(std::ceil(pair_that_turns(s.low)), width - 1);
    if (first == last) last += 0.001; // no division by 0
  }
  double operator()(double turn, std::size_t pair, double factor) const {
    const double slower = std::clamp((static_cast<double>(pair) - first) / (last - first), 0.0, 1.0);
    return slower * turn / factor + (1 - slower) * turn;
  }
};

double amplitude_of(const rope_scaling& s) {
  if (s.how == rope_scaling::kind::longrope) return std::sqrt(1 + std::log(s.factor) / std::log(s.positions));
  if (s.how == rope_scaling::kind::yarn) return s.amplitude > 0 ? s.amplitude : 0.1 * std::log(s.factor) + 1;
  return 1;
}

} // namespace

rope_turns rope_turns_of(double base, std::size_t width, const rope_scaling& s) {
  using kind = rope_scaling::kind;
  rope_turns made{std::vector<double>(width / 2), amplitude_of(s)};
  for (std::size_t i = 0; i < made.turns.size(); ++i) {
    const double turn = std::pow(base, -2 * static_cast<double>(i) / static_cast<double>(width));
    made.turns[i] = s.how == kind::linear   ? turn / s.factor
                    : s.how == kind::llama3 ? llama3(turn, s)
                    : s.how == kind::yarn ? yarn_ramp(base, static_cast<double>(width), s)(turn, i, s.factor)
                    : s.how == kind::longrope ? turn / s.divisors->of[i]
                                              : turn;
  }
  return made;
}

} // namespace fovea::core
