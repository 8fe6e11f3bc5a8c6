#include "arguments.hpp"
#include "lines.hpp"

#include <program/text.hpp>
#include <training/finish.hpp>
#include <training/fit.hpp>
#include <training/group.hpp>
#include <training/written.hpp>

#include <fovea/fovea.hpp>
#include <fovea/models/window_lm.hpp>
#include <fovea/runtime/training/initialise.hpp>
#include <fovea/runtime/training/shuffle.hpp>

#include <fmt/format.h>

#include <array>

namespace train_lm {

using namespace fovea;

namespace {

// Bengio et al. 2003 over characters, in the sizes of makemore's lecture.
constexpr models::window_lm_config sizes{.vocab = 128, .width = 10, .hidden = 200, .window = 3};
constexpr std::size_t window = sizes.window;

const auto& loss_model = models::window_lm_loss<sizes>;

/// Every character with those before it in its line.
struct examples {
  std::vector<std::array<int, window + 1>> windows = {}; // the last one is what comes next

  void add(const token_ids& line) {
    std::array<int, window + 1> w{};
    for (std::size_t i = 0; i <= line.size(); ++i) {
      w[window] = i < line.size() ? line[i] : 0;
      windows.push_back(w);
      std::shift_left(w.begin(), w.end(), 1);
    }
  }

  struct batch {
    xt::xtensor<int, 2> tokens;
    xt::xtensor<int, 1> targets;
  };
  template <class F>
  batch of(std::size_t rows, F which) const {
    batch made{xt::xtensor<int, 2>::from_shape({rows, window}), xt::xtensor<int, 1>::from_shape({rows})};
    for (std::size_t row = 0; row < rows; ++row) {
      const auto& w = windows[which(row)];
      std::copy_n(w.begin(), window, &made.tokens(row, 0));
      made.targets(row) = w[window];
    }
    return made;
  }

  /// The mean of loss(tokens, targets) over all of them, in batches that the ranks share.
  template <class F>
  double mean_loss(std::size_t rows, const rank_group& group, F loss) const {
    return training::mean_over((windows.size() + rows - 1) / rows, group, [&](std::size_t i) {
      const std::size_t first = i * rows;
      const batch now =
          of(std::min(rows, windows.size() - first), [&](std::size_t row) { return first + row; });
      return training::part_of_mean{static_cast<double>(loss(now)), static_cast<double>(now.targets.size())};
    });
  }
};

std::vector<std::string> samples_of(const model_weights& trained, const tokenizer& characters,
                                    const arguments& a) {
  auto net = compile(models::window_lm<sizes>, trained, {.capacity = {{"B", 1}}, .threads = 1});
  std::string text;
  for (std::size_t i = 0; i < a.samples; ++i) {
    token_ids ids = training::written(
        token_ids(window, 0), window, 100, {.seed = a.how.seed + i},
        [&](std::span<const token_id> seen) {
          xt::xtensor<int, 2> now({1, window});
          std::copy(seen.begin(), seen.end(), now.begin());
          return std::span<const float>(&net("tokens"_in = now)["logits"_out](0, 0),
                                        characters.vocabulary_size());
        },
        0);
    std::erase(ids, 0);
    text += (i > 0 ? "\n" : "") + characters.decode(ids);
  }
  return {text};
}

} // namespace

void run_window(const arguments& a) {
  const character_lines text = read_lines(a.text, sizes.vocab);
  // Lines in an order drawn by chance: to learn from, to look at meanwhile, and to look at once at the end.
  const auto order = shuffled(text.lines.size(), a.how.seed);
  const auto share = static_cast<std::size_t>(a.validation * static_cast<double>(order.size()));
  examples learned, held_out, test;
  for (std::size_t i = 0; i < order.size(); ++i)
    (i < share ? test : i < 2 * share ? held_out : learned).add(text.lines[order[i]]);
  if (share == 0 || learned.windows.empty())
    throw error(a.text.string() + ": expected more lines to hold some out; found " +
                std::to_string(order.size()));
  const rank_group group = training::group();
  if (group.rank() == 0)
    program::print(fmt::format("{}: {} lines, {} characters to learn from, {} different\n{} parameters\n",
                               a.text.string(), order.size(), learned.windows.size(),
                               text.characters.vocabulary_size() - 1, loss_model.parameters()));

  const auto rows = static_cast<std::size_t>(training::share_of(a.how.batch, group)),
             first_row = rows * static_cast<std::size_t>(group.rank());
  const train_options options{.capacity = {{"B", static_cast<std::int64_t>(rows)}},
                              .threads = a.how.threads,
                              .schedule =
                                  cosine_schedule({.total = a.how.steps, .warmup = 100, .floor = 0.01}),
                              .group = group};
  auto fit = training::fit(a.how, loss_model, adamw{.rate = a.how.rate},
                           initial_weights(loss_model, a.how.seed), options);
  const training::run what{.program = "train_lm",
                           .how = a.how,
                           .same = {{"model", a.model},
                                    {"parameters", std::to_string(loss_model.parameters())},
                                    {"lines", std::to_string(order.size())},
                                    {"validation", fmt::format("{}", a.validation)}},
                           .tokens = static_cast<std::size_t>(a.how.batch),
                           .group = group,
                           .data = {a.text}};
  const auto result = training::learn(
      fit, what,
      [&](std::uint64_t i) {
        const auto batch = learned.of(rows, [&](std::size_t row) {
          return static_cast<std::size_t>(core::uniform(a.how.seed, i + 1, first_row + row) *
                                          static_cast<double>(learned.windows.size()));
        });
        return fit.step("tokens"_in = batch.tokens, "targets"_in = batch.targets);
      },
      [&] {
        return held_out.mean_loss(rows, group, [&](const examples::batch& batch) {
          return fit.evaluate("tokens"_in = batch.tokens, "targets"_in = batch.targets)["loss"_out]();
        });
      });
  if (!what.writes()) return;
  const model_weights best = load_weights(a.how.best(), {.copy = true});
  auto net = compile(loss_model, best, {.capacity = options.capacity, .threads = a.how.threads});
  const double once = test.mean_loss(rows, {}, [&](const examples::batch& batch) {
    return net("tokens"_in = batch.tokens, "targets"_in = batch.targets)["loss"_out]();
  });
  training::finish(what, result, {{"test loss", fmt::format("{:.4f}", once)}},
                   samples_of(best, text.characters, a));
}

} // namespace train_lm
