// How evenly do many threads share a model's steps? Of each model of these programs the tasks of each step for 1 to 128
// threads, and what their unevenness loses, by the plan (docs/profiling.md#evenness): no time is measured, and no
// thread is started but for training.
//
//     evenness [--threads N]... [--only TEXT] [--steps] [--below SHARE]
//
// It prints a page's table; --steps all steps of each model, --below those that cost a hundredth of it or more and are
// less even than SHARE.

#include "random_weights.hpp"

#include <fovea/fovea.hpp>
#include <fovea/models/bert.hpp>
#include <fovea/models/gpt2.hpp>
#include <fovea/models/kim_cnn.hpp>
#include <fovea/models/llama.hpp>
#include <fovea/runtime/describe/evenness.hpp>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace fovea;
using namespace fovea::core;

inline constexpr dim B{"B"}, T{"T"};

/// Threads of no machine: the caller does what they would.
constexpr executor alone{[](void*, std::size_t count, void (*task)(void*, std::size_t), void* job) {
                           for (std::size_t i = 0; i < count; ++i) task(job, i);
                         },
                         nullptr};

using call = std::function<void()>;

/// A model at one size, compiled for a number of threads.
struct subject {
  std::string name;
  std::function<call(int threads)> compiled;
};

/// What `make` returns, to be held by copies of a call.
template <class F>
auto kept(F make) {
  using made = decltype(make());
  return std::shared_ptr<made>(new made(make()));
}

xt::xtensor<int, 2> ids(std::size_t batch, std::size_t tokens, int below = 1000) {
  xt::xtensor<int, 2> made({batch, tokens});
  for (std::size_t i = 0; i < made.size(); ++i) made.data()[i] = static_cast<int>(i * 37) % below;
  return made;
}

subject minilm(std::size_t batch, std::size_t tokens) {
  return {
      "MiniLM, " + std::to_string(batch) + " x " + std::to_string(tokens), [=](int threads) -> call {
        const auto& m = models::sentence_encoder<models::minilm>;
        static const model_weights from = bench::random_weights(m);
        auto net = kept([&] {
          return compile(m, from, {.capacity = {{B, batch}, {T, tokens}}, .threads = threads, .lent = alone});
        });
        const xt::xtensor<int, 2> types = xt::zeros<int>({batch, tokens});
        const xt::xtensor<int, 1> lengths = xt::ones<int>({batch}) * static_cast<int>(tokens);
        return [=] { (*net)("tokens"_in = ids(batch, tokens), "types"_in = types, "lengths"_in = lengths); };
      }};
}

/// A prompt of so many tokens, or a token behind it.
template <class M>
subject language(const std::string& name, const M& m, std::size_t prompt, bool token) {
  return {name, [&m, prompt, token](int threads) -> call {
            static const model_weights from = bench::random_weights(m);
            auto live = kept([&] {
              return stream<T>(last<T>(m), from,
                               {.capacity = {{B, 1}, {T, prompt + 1}}, .threads = threads, .lent = alone});
            });
            live->begin();
            if (token) live->step("tokens"_in = ids(1, prompt));
            return [=] { live->step("tokens"_in = ids(1, token ? 1 : prompt)); };
          }};
}

template <class M>
subject of_floats(const std::string& name, const M& m, std::vector<std::size_t> shape,
                  std::vector<dim_size> capacity) {
  return {name, [&m, shape, capacity](int threads) -> call {
            auto net = kept([&] {
              return compile(m, bench::random_weights(m),
                             {.capacity = capacity, .threads = threads, .lent = alone});
            });
            const xt::xarray<float> x = xt::ones<float>(shape);
            return [=] { (*net)("x"_in = x); };
          }};
}

constexpr models::kim_cnn_config kim{.vocab = 1, .width = 64, .classes = 2};
constexpr auto kim_cnn = model("kim_cnn", [](graph& g) {
  const expr x = g.input<f32>("x", {"B", 128, 64});
  g.output("y", models::kim_cnn_scores(models::kim_cnn_features(x, kim), kim));
});
constexpr auto planes = model("planes", [](graph& g) {
  const expr x = g.input<f32>("x", {"B", 56, 56, 64});
  g.output("y", relu(batch_norm(conv2d(x, "conv", 64, 3, {.padding = 1, .bias = false}), "norm")));
});
constexpr auto layer_of_512 = model("lstm", [](graph& g) {
  g.output("y", expr(lstm(g.input<f32>("x", {B, T, 512}), "rnn", 512)));
});

template <models::gpt2_config c>
inline constexpr auto gpt_loss = model("gpt", [](graph& g) {
  const expr logits = models::gpt2_logits(g.input<i32>("tokens", {B, T}), c);
  g.output("loss", cross_entropy(logits, g.input<i32>("targets", {B, T})));
});

template <models::gpt2_config c>
subject training(const std::string& name, std::size_t batch, std::size_t length) {
  return {
      name, [=](int threads) -> call {
        const auto& m = gpt_loss<c>;
        auto fit = kept([&] {
          return train(m, adamw{}, initial_weights(m),
                       {.capacity = {{B, batch}, {T, length}}, .regime = regime::large, .threads = threads});
        });
        return
            [=] { fit->step("tokens"_in = ids(batch, length, 65), "targets"_in = ids(batch, length, 65)); };
      }};
}

std::vector<subject> subjects() {
  static constexpr models::llama_config llama{
      .layers = 12, .heads = 12, .kv_heads = 12, .width = 768, .inner = 2048, .vocab = 32000};
  return {minilm(1, 16),
          minilm(1, 128),
          minilm(8, 128),
          language("GPT-2 124M, a prompt of 128", models::gpt2<models::gpt2_small>, 128, false),
          language("GPT-2 124M, a token", models::gpt2<models::gpt2_small>, 64, true),
          language("Llama 134M, a token", models::llama<llama>, 64, true),
          of_floats("LSTM of 512, 32 x 100", layer_of_512, {32, 100, 512}, {{B, 32}, {T, 100}}),
          of_floats("Kim's CNN, 32 x 128", kim_cnn, {32, 128, 64}, {{B, 32}}),
          of_floats("planes, 56 x 56 x 64", planes, {1, 56, 56, 64}, {{B, 1}}),
          training<{.layers = 4, .heads = 4, .width = 128, .vocab = 65, .context = 64}>(
              "training gpt/4x128/12x64", 12, 64),
          training<{.layers = 6, .heads = 6, .width = 384, .vocab = 65, .context = 256}>(
              "training gpt/6x384/12x256", 12, 256)};
}

/// Of the steps that cost a hundredth of all or more, the least even one.
double least_even(const evenness& heard) {
  double cost = 0, least = 1;
  const std::vector<shared_step> steps = heard.steps();
  for (const shared_step& step : steps) cost += step.cost;
  for (const shared_step& step : steps)
    if (step.cost >= cost / 100) least = std::min(least, step.even);
  return least;
}

void print_below(const evenness& heard, double share) {
  double cost = 0;
  const std::vector<shared_step> steps = heard.steps();
  for (const shared_step& step : steps) cost += step.cost;
  for (const shared_step& step : steps)
    if (step.even < share && step.cost >= cost / 100)
      std::printf("    %4.1f %%  %5zu tasks  %.2f  step %d  %s  %s  %s\n", 100 * step.cost / cost, step.tasks,
                  step.even, step.step, step.text.c_str(), step.kernel.c_str(), step.sizes.c_str());
}

} // namespace

int main(int count, char** words) try {
  std::vector<int> threads{1, 2, 4, 8, 16, 32, 64, 128};
  std::string only;
  bool steps = false;
  double below = 0;
  CLI::App app{"Tells how evenly threads share the steps of models."};
  app.add_option("--threads", threads, "how many")->check(CLI::Range(1, 1000));
  app.add_option("--only", only, "models whose name holds this text");
  app.add_flag("--steps", steps, "all steps");
  app.add_option("--below", below, "steps that are less even");
  CLI11_PARSE(app, count, words);
  std::printf("|");
  for (const int n : threads) std::printf(" | %d", n);
  std::printf(" |\n| ---");
  for (std::size_t i = 0; i < threads.size(); ++i) std::printf(" | ---:");
  std::printf(" |\n");
  for (const subject& s : subjects()) {
    if (s.name.find(only) == std::string::npos) continue;
    std::string row = "| " + s.name;
    for (const int n : threads) {
      const call once = s.compiled(n);
      evenness heard;
      once();
      char cell[64];
      std::snprintf(cell, sizeof cell, " | %.2f (%.2f)", heard.of_all(), least_even(heard));
      row += cell;
      if (steps) heard.print(std::cout);
      if (below > 0) print_below(heard, below);
    }
    std::printf("%s |\n", row.c_str());
    std::fflush(stdout);
  }
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s: %s\n", words[0], e.what());
  return 1;
}
