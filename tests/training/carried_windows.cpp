// Truncated backpropagation through time: what is carried from window to window.

#include "../compare_backends.hpp"
#include "../message_of.hpp"
#include "../weights/temporary_folder.hpp"

#include <fovea/models/rnn.hpp>
#include <fovea/runtime/ranks/thread_ranks.hpp>

#include <filesystem>

using namespace fovea;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr models::rnn_config sizes_of(models::cell_kind cell) {
  return {.vocab = 11, .width = 6, .hidden = 7, .cell = cell, .layers = 2};
}
template <models::cell_kind cell>
const auto& windows = models::rnn_language_model_window_loss<sizes_of(cell)>;
template <models::cell_kind cell>
const auto& unbroken = models::rnn_language_model_loss<sizes_of(cell)>;

constexpr std::size_t rows = 3, length = 17;

xt::xtensor<int, 2> tokens(int first) {
  auto made = xt::xtensor<int, 2>::from_shape({rows, length});
  int next = first;
  for (int& x : made) x = (next = (next * 31 + 7) % 101) % 11;
  return made;
}
xt::xtensor<int, 2> part(const xt::xtensor<int, 2>& of, std::size_t from, std::size_t to) {
  return xt::eval(xt::view(of, xt::all(), xt::range(from, to)));
}
constexpr std::size_t cuts[] = {0, 5, 10, 15, 17};

const train_options usual{.capacity = {{B, rows}, {T, length}}, .clip = 1};

/// Windows of a text, one after the other, as training meets them: at rate 0, and looked at.
template <class backend, models::cell_kind cell>
void compare() {
  const auto ids = tokens(5), targets = tokens(6);
  const model_weights start = initial_weights(unbroken<cell>, 3);
  auto whole = train<backend>(unbroken<cell>, sgd{.rate = 0}, start, usual);
  const float expected = whole.evaluate("tokens"_in = ids, "targets"_in = targets)["loss"_out]();
  auto fit = train<backend>(windows<cell>, sgd{.rate = 0}, start, usual);
  for (int pass = 0; pass < 2; ++pass) {
    double learned = 0, seen = 0, apart = 0;
    fit.begin();
    fit.begin_evaluation();
    for (std::size_t i = 0; i + 1 < std::size(cuts); ++i) {
      const auto x = part(ids, cuts[i], cuts[i + 1]), y = part(targets, cuts[i], cuts[i + 1]);
      const auto share = static_cast<double>(cuts[i + 1] - cuts[i]) / length;
      learned += share * static_cast<double>(fit.step("tokens"_in = x, "targets"_in = y).loss);
      seen += share * static_cast<double>(fit.evaluate("tokens"_in = x, "targets"_in = y)["loss"_out]());
      apart += share * static_cast<double>(whole.evaluate("tokens"_in = x, "targets"_in = y)["loss"_out]());
    }
    CHECK(learned == Approx(expected).epsilon(1e-6));
    CHECK(seen == Approx(expected).epsilon(1e-6));
    CHECK(apart != Approx(expected).epsilon(1e-4)); // the state matters
  }
}

template <class trainer>
void learn(trainer& fit, std::size_t first, std::size_t last) {
  const auto ids = tokens(5), targets = tokens(6);
  for (std::size_t i = first; i < last; ++i)
    fit.step("tokens"_in = part(ids, cuts[i], cuts[i + 1]),
             "targets"_in = part(targets, cuts[i], cuts[i + 1]));
}

} // namespace

TEST_CASE("carried windows lose what the unbroken text loses", "[training]") {
  on_both_backends([](auto backend) {
    using b = decltype(backend);
    compare<b, models::cell_kind::lstm>();
    compare<b, models::cell_kind::elman>();
  });
}

TEST_CASE("what is carried is in the checkpoint, bit for bit", "[training]") {
  const auto path = std::filesystem::temp_directory_path() / "fovea_carried.safetensors";
  const auto& m = windows<models::cell_kind::lstm>;
  const model_weights start = initial_weights(m, 3);
  auto whole = train(m, adam{.rate = 1e-2}, start, usual);
  learn(whole, 0, 4);
  auto first = train(m, adam{.rate = 1e-2}, start, usual);
  learn(first, 0, 2);
  first.save(path);
  auto second = train(m, adam{.rate = 1e-2}, start, usual);
  second.resume(path);
  learn(second, 2, 4);
  CHECK(values_of(second.weights()) == values_of(whole.weights()));
  second.resume(path);
  second.begin();
  learn(second, 2, 4);
  CHECK(values_of(second.weights()) != values_of(whole.weights()));

  // A checkpoint of a model that carries nothing, and the other way round.
  const auto& alone = unbroken<models::cell_kind::lstm>;
  auto other = train(alone, adam{.rate = 1e-2}, start, usual);
  CHECK_THROWS_WITH(other.resume(path),
                    Catch::Contains("there are tensors carried that this model does not carry"));
  other.save(path);
  second.resume(path);
  CHECK(second.steps() == 0);
  std::filesystem::remove(path);
}

TEST_CASE("a checkpoint of training is weights", "[training]") {
  const auto path = std::filesystem::temp_directory_path() / "fovea_checkpoint_weights.safetensors";
  const auto& m = windows<models::cell_kind::lstm>;
  auto fit = train(m, adam{.rate = 1e-2}, initial_weights(m, 3), usual);
  learn(fit, 0, 2);
  fit.save(path);
  const model_weights opened = load_weights(path), learned = fit.weights();
  REQUIRE(opened.tensors().contains("optimizer.mean.linear.weight"));
  REQUIRE(opened.tensors().contains("carried.cell"));
  // What it runs as needs the parameters only; learning on from it begins anew with all else.
  auto net = compile(unbroken<models::cell_kind::lstm>, opened, {.capacity = usual.capacity});
  auto as_learned = compile(unbroken<models::cell_kind::lstm>, learned, {.capacity = usual.capacity});
  CHECK(net("tokens"_in = tokens(1), "targets"_in = tokens(2))["loss"_out]() ==
        as_learned("tokens"_in = tokens(1), "targets"_in = tokens(2))["loss"_out]());
  auto on = train(m, adam{.rate = 1e-2}, opened, usual);
  CHECK(on.steps() == 0);
  CHECK(values_of(on.weights()) == values_of(learned));
  std::filesystem::remove(path);
}

TEST_CASE("what is carried has the rows of its text", "[training]") {
  const auto ids = tokens(5), targets = tokens(6);
  const auto few = [](const auto& x) { return xt::eval(xt::view(x, xt::range(0, 2), xt::all())); };
  const auto& m = windows<models::cell_kind::gru>;
  auto fit = train(m, sgd{.rate = 0.1}, initial_weights(m, 3), usual);
  fit.step("tokens"_in = ids, "targets"_in = targets);
  CHECK_THROWS_WITH(
      fit.step("tokens"_in = few(ids), "targets"_in = few(targets)),
      "rnn_language_model_window_loss: input \"hidden\" [2, B, 7]: it is carried on from a call with B = 3, "
      "and this one has B = 2; begin() starts anew");
  fit.begin();
  fit.step("tokens"_in = few(ids), "targets"_in = few(targets));
  // What is given is not carried.
  const xt::xtensor<float, 3> zeros = xt::zeros<float>({2, 3, 7});
  fit.begin_evaluation();
  const float once = fit.evaluate("tokens"_in = ids, "targets"_in = targets)["loss"_out]();
  const float again =
      fit.evaluate("tokens"_in = ids, "targets"_in = targets, "hidden"_in = zeros)["loss"_out]();
  CHECK(once == again);
  CHECK(once != fit.evaluate("tokens"_in = ids, "targets"_in = targets)["loss"_out]());
  CHECK_THROWS_WITH(fit.evaluate("tokens"_in = few(ids), "targets"_in = few(targets)),
                    Catch::Contains("this one has B = 2; begin_evaluation() starts anew"));
}

TEST_CASE("a checkpoint has the states of all ranks, and another number of them goes on with it",
          "[training][threads]") {
  constexpr auto cell = models::cell_kind::elman;
  const temporary_folder folder;
  const auto path = folder / "carried.safetensors";
  const auto model_of = [&](const rank_group& group) {
    train_options options = usual;
    options.group = group;
    return train(windows<cell>, sgd{.rate = 0.1}, initial_weights(windows<cell>, 3), options);
  };
  const auto learn_share = [](auto& fit, std::size_t first, std::size_t last, const rank_group& group) {
    const auto share = [&](const xt::xtensor<int, 2>& of, std::size_t i) {
      const std::size_t count = rows / static_cast<std::size_t>(group.size()),
                        row = count * static_cast<std::size_t>(group.rank());
      return xt::xtensor<int, 2>(xt::view(of, xt::range(row, row + count), xt::range(cuts[i], cuts[i + 1])));
    };
    float loss = 0;
    for (std::size_t i = first; i < last; ++i)
      loss = fit.step("tokens"_in = share(tokens(5), i), "targets"_in = share(tokens(6), i)).loss;
    return loss;
  };
  auto alone = model_of({});
  const float expected = learn_share(alone, 0, 4, {});
  for (const int saved_by : {1, 3}) {
    run_ranks(saved_by, [&](const rank_group& group) {
      auto fit = model_of(group);
      learn_share(fit, 0, 2, group);
      fit.save(path);
    });
    for (const int ranks : {1, 3}) {
      std::vector<float> found(static_cast<std::size_t>(ranks));
      run_ranks(ranks, [&](const rank_group& group) {
        auto fit = model_of(group);
        fit.resume(path);
        found[static_cast<std::size_t>(group.rank())] = learn_share(fit, 2, 4, group);
      });
      INFO("saved by " << saved_by << ", resumed by " << ranks);
      for (const float loss : found) CHECK(loss == Approx(expected).margin(2e-6));
    }
  }
  std::vector<std::string> problems(2);
  run_ranks(2, [&](const rank_group& group) {
    problems[static_cast<std::size_t>(group.rank())] =
        message_of<error>([&] { model_of(group).resume(path); });
  });
  for (const std::string& problem : problems)
    CHECK(problem == path.string() + ": expected the tensor carried.hidden to be [2, B, 7] whose rows divide "
                                     "among 2 ranks, found [2, 3, 7]");
}
