// A program that learns over MPI, and streams a model in stages, for mpi_test.py: ranks JOB FOLDER.

#include <fovea/fovea.hpp>
#include <fovea/models/gpt2.hpp>
#include <fovea/mpi/mpi_group.hpp>
#include <fovea/runtime/staged_stream.hpp>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

using namespace fovea;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr auto regression = model("regression", [](graph& g) {
  const expr x = g.input<f32>("x", {B, 3}), y = g.input<f32>("y", {B, 2});
  g.output("loss", mse(linear(dropout(tanh(linear(x, "hidden", 5)), 0.3), "out", 2), y));
});

constexpr int all_rows = 12;

/// Learns this rank's shares of batches `first` to `last` - 1.
template <class trainer>
float learn(trainer& fit, int first, int last, const rank_group& group) {
  const int rows = all_rows / group.size();
  float loss = 0;
  for (int i = first; i < last; ++i) {
    const auto count = static_cast<std::size_t>(rows);
    xt::xtensor<float, 2> x = xt::empty<float>({count, std::size_t{3}}),
                          y = xt::empty<float>({count, std::size_t{2}});
    const auto begin = static_cast<float>(rows * group.rank());
    for (std::size_t k = 0; k < x.size(); ++k)
      x.flat(k) = std::sin(static_cast<float>(k) + 3 * begin + static_cast<float>(7 * i));
    for (std::size_t k = 0; k < y.size(); ++k)
      y.flat(k) = std::cos(static_cast<float>(k) + 2 * begin - static_cast<float>(3 * i));
    loss = fit.step("x"_in = x, "y"_in = y).loss;
  }
  return loss;
}

auto trainer_of(const rank_group& group, std::uint64_t seed = 1, train_options options = {}) {
  options.capacity = {{B, all_rows}};
  options.clip = 0.5, options.seed = 3, options.group = group;
  return train(regression, adam{.rate = 1e-2}, initial_weights(regression, seed), options);
}
/// Buckets of a few gradients, of which each rank adds up some.
constexpr std::size_t small_buckets = 40;

void expect(bool holds, const std::string& what) {
  if (!holds) throw error(what);
}

/// More values than go in one message of each pair of ranks, which MPI_Allreduce would add in other orders.
void check_sum(const rank_group& group) {
  std::vector<float> values(3'000'001);
  const auto of = [](int rank, std::size_t i) {
    return std::ldexp(std::sin(static_cast<float>(i) + static_cast<float>(rank)), rank * 5);
  };
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = of(group.rank(), i);
  group.sum(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    float total = of(0, i);
    for (int r = 1; r < group.size(); ++r) total += of(r, i);
    expect(values[i] == total, "sum: value " + std::to_string(i));
  }
  std::vector<char> text(1000, static_cast<char>('a' + group.rank()));
  group.broadcast(std::as_writable_bytes(std::span(text)), group.size() - 1);
  expect(std::ranges::count(text, static_cast<char>('a' + group.size() - 1)) == 1000, "broadcast");
}

/// Where one rank cannot learn, sums that are under way are thrown away on all.
void check_refusal(const rank_group& group) {
  auto whole = trainer_of(group), fit = trainer_of(group, 1, {.bucket_bytes = small_buckets});
  xt::xtensor<float, 2> x = xt::zeros<float>({2, 3}), y = xt::zeros<float>({2, 2});
  if (group.rank() == group.size() - 1) x(0, 0) = std::numeric_limits<float>::quiet_NaN();
  std::string problem;
  try {
    fit.step("x"_in = x, "y"_in = y);
  } catch (const error& refused) {
    problem = refused.what();
  }
  expect(problem.find("train: at step 1 the loss is nan") != std::string::npos, "not refused: " + problem);
  expect(learn(fit, 0, 3, group) == learn(whole, 0, 3, group), "after it was refused: other numbers");
}

void check_learning(const rank_group& group, const std::filesystem::path& folder) {
  const rank_group none;
  auto whole = trainer_of(none);
  const float expected = learn(whole, 0, 20, none);
  auto fit = trainer_of(group);
  learn(fit, 0, 10, group);
  fit.save(folder / "half.safetensors");
  auto resumed = trainer_of(group);
  resumed.resume(folder / "half.safetensors");
  const float found = learn(resumed, 10, 20, group), uninterrupted = learn(fit, 10, 20, group);
  expect(found == uninterrupted, "resumed: other numbers");
  expect(std::abs(found - expected) < 2e-6f,
         "loss: expected " + std::to_string(expected) + ", found " + std::to_string(found));

  auto meanwhile = trainer_of(group, 1, {.bucket_bytes = small_buckets});
  learn(meanwhile, 0, 10, group);
  expect(learn(meanwhile, 10, 20, group) == found, "summed while others are made: other numbers");
  auto rounded = trainer_of(group, 1, {.bucket_bytes = small_buckets, .bf16_gradients = true});
  learn(rounded, 0, 10, group);
  rounded.save(folder / "rounded.safetensors"); // refuses where ranks have drifted apart
  expect(std::abs(learn(rounded, 10, 20, group) - found) < 1e-2f, "bfloat16: other numbers");
}

/// What each keeps a share of is whole in a checkpoint.
void check_shares(const rank_group& group, const std::filesystem::path& folder) {
  const train_options shares{.bucket_bytes = small_buckets, .shard_state = true};
  auto whole = trainer_of(group), fit = trainer_of(group, 1, shares);
  expect(group.size() == 1 || fit.state_bytes() < whole.state_bytes(), "state: as much as alone");
  learn(whole, 0, 10, group), learn(fit, 0, 10, group);
  fit.save(folder / "shares.safetensors");
  for (const train_options& options : {shares, train_options{}}) {
    auto resumed = trainer_of(group, 1, options);
    resumed.resume(folder / "shares.safetensors");
    const float expected = learn(whole, 10, 12, group), found = learn(resumed, 10, 12, group);
    expect(std::abs(found - expected) < 2e-6f,
           "shares: expected " + std::to_string(expected) + ", found " + std::to_string(found));
    whole.resume(folder / "shares.safetensors");
  }
}

constexpr models::gpt2_config tiny{.layers = 3, .heads = 2, .width = 16, .vocab = 30, .context = 64};
constexpr const auto& gpt = models::gpt2<tiny>;

/// Steps of two streams are in flight at once, and one that a stage refuses among them.
void check_stages(const rank_group& group) {
  const model_weights weights = initial_weights(gpt, 1);
  const compile_options how{.capacity = {{B, 2}, {T, 64}}, .threads = 1};
  auto whole = stream<T>(gpt, weights, how);
  auto one = stream_stages<T, 3>(gpt, weights, group, how);
  whole.begin(), one.begin();
  auto expected = std::vector(2, whole);
  auto found = std::vector(2, one);
  const auto tokens = [](std::size_t k, int i) {
    return xt::xtensor<int, 2>{{(7 * i + static_cast<int>(k)) % 30}, {(5 * i + 2) % 30}};
  };
  for (std::size_t k = 0; k < 2; ++k) found[k].begin_step("tokens"_in = tokens(k, 0));
  for (int i = 0; i < 20; ++i)
    for (std::size_t k = 0; k < 2; ++k) {
      const auto made = found[k].end_step()["logits"_out];
      auto out = expected[k].step("tokens"_in = tokens(k, i));
      expect(std::ranges::equal(made, out["logits"_out]), "stages: other numbers");
      found[k].begin_step("tokens"_in = tokens(k, i + 1));
    }
  for (auto& live : found) live.end_step();
  found[0].begin_step("tokens"_in = xt::xtensor<int, 2>{{1}, {30}});
  found[1].begin_step("tokens"_in = tokens(1, 0));
  std::string problem;
  try {
    found[0].end_step();
  } catch (const error& refused) {
    problem = refused.what();
  }
  expect(problem.find("tokens[1, 0] is 30, expected 0 to 29") != std::string::npos,
         "not refused: " + problem);
  found[1].end_step();
}

void run(const std::string& job, const std::filesystem::path& folder) {
  const rank_group group = mpi_group();
  if (job == "learn") {
    check_sum(group);
    check_refusal(group);
    check_learning(group, folder);
    check_shares(group, folder);
  } else if (job == "stages") {
    check_stages(group);
  } else if (job == "weights") {
    trainer_of(group, static_cast<std::uint64_t>(group.rank()));
  } else {
    auto fit = trainer_of(group, 1, {.bucket_bytes = small_buckets});
    learn(fit, 0, 3, group);
    if (group.rank() == 1 && job == "throw") throw error("the data of rank 1 are gone");
    if (group.rank() == 1 && job == "die") std::raise(SIGKILL);
    if (group.rank() == 1 && job == "leave") return;
    learn(fit, 3, 6, group);
  }
  if (group.rank() == 0) std::printf("%d ranks\n", group.size());
}

} // namespace

int main(int count, char** words) try {
  run(count > 1 ? words[1] : "learn", count > 2 ? words[2] : ".");
  return 0;
} catch (const std::exception& problem) {
  std::fprintf(stderr, "ranks: %s\n", problem.what());
  return 3;
}
