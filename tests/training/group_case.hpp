#pragma once

// A small model, what ranks learn from, and what they come to.

#include "../compare_backends.hpp"
#include "../paced_group.hpp"

#include <fovea/fovea.hpp>
#include <fovea/runtime/ranks/thread_ranks.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace fovea::core::test {

inline constexpr dim B{"B"};

inline constexpr auto regression = model("regression", [](graph& g) {
  const expr x = g.input<f32>("x", {B, 3}), y = g.input<f32>("y", {B, 2});
  const expr deep = repeat("deep", 2, tanh(linear(x, "in", 5)),
                           [](expr h) { return h + dropout(tanh(linear(h, "turn", 5)), 0.3); });
  g.output("loss", mse(linear(dropout(deep, 0.3), "out", 2), y));
});
struct batch {
  xt::xtensor<float, 2> x, y;
};
/// So many rows of batch i, from row `first` on.
inline batch rows_of(int i, int first, int rows) {
  const auto count = static_cast<std::size_t>(rows);
  batch made{xt::empty<float>({count, std::size_t{3}}), xt::empty<float>({count, std::size_t{2}})};
  for (std::size_t k = 0; k < made.x.size(); ++k)
    made.x.flat(k) = std::sin(static_cast<float>(k) + static_cast<float>(3 * first + 7 * i));
  for (std::size_t k = 0; k < made.y.size(); ++k)
    made.y.flat(k) = std::cos(static_cast<float>(k) + static_cast<float>(2 * first - 3 * i));
  return made;
}

inline constexpr int all_rows = 8;
/// What a rank learns from of batch i.
inline batch share_of(int i, const rank_group& group) {
  const int rows = all_rows / group.size();
  return rows_of(i, rows * group.rank(), rows);
}
template <class trainer>
training_step learn(trainer& fit, const batch& b) {
  return fit.step("x"_in = b.x, "y"_in = b.y);
}

template <class M>
const model_weights& start(const M& model) {
  static const model_weights made = initial_weights(model, 1);
  return made;
}
inline train_options of(const rank_group& group, train_options options = {}) {
  options.capacity = {{B, all_rows}};
  options.seed = 3;
  options.group = group;
  return options;
}

using named_floats = std::map<std::string, std::vector<float>>;
struct outcome {
  std::vector<float> losses;
  std::vector<double> norms;
  named_floats values;

  friend bool operator==(const outcome&, const outcome&) = default;
};

template <class backend = f32, class optimizer>
outcome learned(const optimizer& how, const train_options& options, const rank_group& group) {
  auto fit = train<backend>(regression, how, start(regression), of(group, options));
  outcome made;
  for (int i = 0; i < 12; ++i) {
    const training_step done = learn(fit, share_of(i, group));
    made.losses.push_back(done.loss);
    made.norms.push_back(done.gradient_norm);
  }
  made.values = values_of(fit.weights());
  return made;
}

/// Numbers of 2 and 4 ranks are those of one: they differ in the order of sums alone.
inline constexpr double margin = 2e-6;

inline void check_close(const named_floats& found, const named_floats& expected) {
  REQUIRE(found.size() == expected.size());
  for (const auto& [name, values] : expected) {
    INFO(name);
    for (std::size_t i = 0; i < values.size(); ++i)
      CHECK(found.at(name)[i] == Approx(values[i]).margin(margin).epsilon(0));
  }
}

template <class backend = f32, class optimizer>
std::vector<outcome> learned_by(int ranks, const optimizer& how, const train_options& options,
                                pace when = pace::at_once) {
  std::vector<outcome> all(static_cast<std::size_t>(ranks));
  run_ranks(ranks, [&](const rank_group& group) {
    all[static_cast<std::size_t>(group.rank())] = learned<backend>(how, options, paced(group, when));
  });
  return all;
}

} // namespace fovea::core::test
