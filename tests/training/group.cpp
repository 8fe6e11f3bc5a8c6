// Ranks that learn together, as threads: they come to what one comes to with the whole batch, and refuse together.

#include "../compare_backends.hpp"
#include "../weights/temporary_folder.hpp"

#include <fovea/fovea.hpp>
#include <fovea/runtime/training/thread_ranks.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace fovea;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"};

constexpr auto regression = model("regression", [](graph& g) {
  const expr x = g.input<f32>("x", {B, 3}), y = g.input<f32>("y", {B, 2});
  const expr deep = repeat("deep", 2, tanh(linear(x, "in", 5)),
                           [](expr h) { return h + dropout(tanh(linear(h, "turn", 5)), 0.3); });
  g.output("loss", mse(linear(dropout(deep, 0.3), "out", 2), y));
});
/// With statistics that are gathered, and a state that is carried.
constexpr auto reader = model("reader", [](graph& g) {
  const expr x = g.input<f32>("x", {B, 3}), before = g.input<f32>("state", {B, 2});
  const expr state = tanh(linear(batch_norm(x, "norm"), "in", 2) + 0.5 * before);
  g.output("new.state", state);
  g.output("loss", mse(state, g.input<f32>("y", {B, 2})));
});

struct batch {
  xt::xtensor<float, 2> x, y;
};
/// So many rows of batch i, from row `first` on.
batch rows_of(int i, int first, int rows) {
  const auto count = static_cast<std::size_t>(rows);
  batch made{xt::empty<float>({count, std::size_t{3}}), xt::empty<float>({count, std::size_t{2}})};
  for (std::size_t k = 0; k < made.x.size(); ++k)
    made.x.flat(k) = std::sin(static_cast<float>(k) + static_cast<float>(3 * first + 7 * i));
  for (std::size_t k = 0; k < made.y.size(); ++k)
    made.y.flat(k) = std::cos(static_cast<float>(k) + static_cast<float>(2 * first - 3 * i));
  return made;
}

constexpr int all_rows = 8;
/// What a rank learns from of batch i.
batch share_of(int i, const rank_group& group) {
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
train_options of(const rank_group& group, train_options options = {}) {
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
template <class backend = f32, class optimizer>
std::vector<outcome> learned_by(int ranks, const optimizer& how, const train_options& options) {
  std::vector<outcome> all(static_cast<std::size_t>(ranks));
  run_ranks(ranks, [&](const rank_group& group) {
    all[static_cast<std::size_t>(group.rank())] = learned<backend>(how, options, group);
  });
  return all;
}

/// Numbers of 2 and 4 ranks are those of one: they differ in the order of sums alone.
constexpr double margin = 2e-6;

void check_close(const named_floats& found, const named_floats& expected) {
  REQUIRE(found.size() == expected.size());
  for (const auto& [name, values] : expected) {
    INFO(name);
    for (std::size_t i = 0; i < values.size(); ++i)
      CHECK(found.at(name)[i] == Approx(values[i]).margin(margin).epsilon(0));
  }
}

template <class optimizer>
void check_ranks(const optimizer& how, const train_options& options = {}) {
  const outcome whole = learned(how, options, {});
  for (const int ranks : {2, 4}) {
    INFO(ranks << " ranks, " << optimizer::name);
    const std::vector<outcome> each = learned_by(ranks, how, options);
    for (const outcome& one : each) CHECK(one == each[0]);
    check_close(each[0].values, whole.values);
    for (std::size_t i = 0; i < whole.losses.size(); ++i) {
      CHECK(each[0].losses[i] == Approx(whole.losses[i]).margin(margin));
      CHECK(each[0].norms[i] == Approx(whole.norms[i]).margin(margin));
    }
    CHECK(learned_by(ranks, how, options) == each); // bit for bit
  }
}

/// What each rank throws.
template <class F>
std::vector<std::string> messages_of(int ranks, F work) {
  std::vector<std::string> all(static_cast<std::size_t>(ranks));
  run_ranks(ranks, [&](const rank_group& group) {
    all[static_cast<std::size_t>(group.rank())] = message_of<error>([&] { work(group); });
  });
  return all;
}
using texts = std::vector<std::string>;

} // namespace

TEST_CASE("ranks with a share each come to what one comes to, by every optimizer", "[training]") {
  check_ranks(sgd{.rate = 0.1, .momentum = 0.9, .weight_decay = 0.01});
  check_ranks(sgd{.rate = 0.1, .momentum = 0.9, .nesterov = true});
  check_ranks(adagrad{.rate = 0.05});
  check_ranks(rmsprop{.rate = 0.005});
  check_ranks(adam{.rate = 0.01});
  check_ranks(adamw{.rate = 0.01});
}

TEST_CASE("options mean of ranks what they mean of one", "[training]") {
  check_ranks(sgd{.rate = 0.1}, {.accumulate = 3});
  check_ranks(sgd{.rate = 0.1}, {.clip = 0.05});
  check_ranks(sgd{.rate = 0.1}, {.clip_value = 0.01});
  check_ranks(sgd{.rate = 0.1}, {.clip = 0.02, .accumulate = 2, .clip_value = 0.01});
  check_ranks(sgd{.rate = 0.1}, {.schedule = cosine_schedule({.total = 12}), .groups = {{"in.*", 0}}});
}

TEST_CASE("the reference learns by ranks, too", "[training]") {
  const sgd how{.rate = 0.1};
  check_close(learned_by<reference>(2, how, {})[1].values, learned<reference>(how, {}, {}).values);
}

TEST_CASE("values are added in the order of the ranks", "[training]") {
  std::vector<std::vector<float>> all(3);
  run_ranks(3, [&](const rank_group& group) {
    std::vector<float> values(100, std::array{1e8f, 1.0f, -1e8f}[static_cast<std::size_t>(group.rank())]);
    values.back() = static_cast<float>(group.rank());
    group.sum(values);
    all[static_cast<std::size_t>(group.rank())] = values;
  });
  for (const auto& values : all) CHECK(values == all[0]);
  CHECK(all[0][0] == 0); // 1e8 + 1 is 1e8
  CHECK(all[0].back() == 3);
  const rank_group none;
  float one = 5;
  none.sum({&one, 1});
  CHECK(one == 5);
  CHECK(none.size() == 1);
  STATIC_REQUIRE(connects_ranks<rank_group>);
  CHECK_THROWS_WITH(run_ranks(0, [](const rank_group&) {}), "run_ranks: expected at least one rank, found 0");
}

TEST_CASE("what one rank cannot learn from, none learns from", "[training]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<named_floats> after(2);
  texts found = messages_of(2, [&](const rank_group& group) {
    auto fit = train(regression, sgd{.rate = 0.1}, start(regression), of(group));
    batch bad = share_of(0, group);
    if (group.rank() == 1) bad.x(0, 0) = nan;
    const std::string problem = message_of<error>([&] { learn(fit, bad); });
    after[static_cast<std::size_t>(group.rank())] = values_of(fit.weights());
    learn(fit, share_of(0, group)); // the next is as if that had not been
    if (fit.steps() != 1) throw error("steps");
    throw error(problem);
  });
  CHECK_THAT(found[1], Catch::StartsWith("train: at step 1 the loss is nan and the gradient of in.weight"));
  CHECK(found[0] == "rank 1: " + found[1]);
  CHECK(after[0] == values_of(start(regression)));
  CHECK(after[1] == after[0]);

  found = messages_of(4, [&](const rank_group& group) {
    auto fit = train(regression, sgd{}, start(regression), of(group));
    learn(fit, rows_of(0, 0, group.rank() == 2 ? all_rows + 1 : 2));
  });
  CHECK_THAT(found[2],
             Catch::Contains("regression: input \"x\"") && Catch::Contains("is 9, expected 1 to 8"));
  for (const std::size_t other : {0u, 1u, 3u}) CHECK(found[other] == "rank 2: " + found[2]);
}

TEST_CASE("shares are of one size, and ranks learn at one rate", "[training]") {
  texts found = messages_of(2, [](const rank_group& group) {
    auto fit = train(regression, sgd{}, start(regression), of(group));
    learn(fit, rows_of(0, 0, 2 + group.rank()));
  });
  const std::string rows = "train: at step 1 rank 1 has a number of rows of 3, and rank 0 of 2; expected the "
                           "same on every rank";
  CHECK(found == texts{rows, rows});
  found = messages_of(2, [](const rank_group& group) {
    const double rate = 1 + group.rank();
    auto fit = train(regression, sgd{.rate = 0.5}, start(regression),
                     of(group, {.schedule = [rate](std::int64_t) { return rate; }}));
    learn(fit, rows_of(0, 0, 2));
  });
  const std::string rates =
      "train: at step 1 rank 1 has a rate of 1, and rank 0 of 0.5; expected the same on "
      "every rank";
  CHECK(found == texts{rates, rates});
}

TEST_CASE("ranks that begin differently are refused", "[training]") {
  const auto both = [](const std::string& text) { return texts{text, text}; };
  CHECK(
      messages_of(2,
                  [](const rank_group& group) {
                    train(regression, sgd{},
                          initial_weights(regression, static_cast<std::uint64_t>(group.rank())), of(group));
                  }) ==
      both("train: rank 1 begins with other weights than rank 0; expected all ranks to begin with the same"));
  CHECK(messages_of(2,
                    [](const rank_group& group) {
                      train(regression, sgd{}, start(regression),
                            of(group, {.clip = static_cast<double>(group.rank())}));
                    }) == both("train: rank 1 has another optimizer or other options than rank 0; expected "
                               "all ranks to learn in one way"));
  CHECK(messages_of(2, [](const rank_group& group) {
          if (group.rank() == 0)
            train(regression, sgd{}, start(regression), of(group));
          else
            train(reader, sgd{}, start(reader), of(group));
        }) == both("train: rank 1 has another model than rank 0; expected one model on all ranks"));
}

TEST_CASE("ranks that do different things are told so", "[training]") {
  const temporary_folder folder;
  const texts found = messages_of(2, [&](const rank_group& group) {
    auto fit = train(regression, sgd{}, start(regression), of(group));
    if (group.rank() == 0)
      fit.save(folder / "never.safetensors");
    else
      learn(fit, share_of(0, group));
  });
  const std::string expected =
      "train: rank 1 is at fit.step, and rank 0 at fit.save; expected the same calls on every rank";
  CHECK(found == texts{expected, expected});
  CHECK_FALSE(std::filesystem::exists(folder / "never.safetensors"));

  CHECK_THROWS_WITH(run_ranks(2,
                              [](const rank_group& group) {
                                auto fit = train(regression, sgd{}, start(regression), of(group));
                                if (group.rank() == 0) learn(fit, share_of(0, group));
                              }),
                    "rank 1 has left the group; expected the same calls on every rank");
  CHECK_THROWS_WITH(run_ranks(2,
                              [](const rank_group& group) {
                                if (group.rank() == 1) throw std::runtime_error("no data");
                                train(regression, sgd{}, start(regression), of(group));
                              }),
                    "no data");
}

TEST_CASE("a checkpoint of ranks is resumed by any number of them", "[training]") {
  const temporary_folder folder;
  const auto path = folder / "group.safetensors";
  const adam how{.rate = 1e-2};
  const outcome whole = learned(how, {}, {});
  run_ranks(2, [&](const rank_group& group) {
    auto fit = train(regression, how, start(regression), of(group));
    for (int i = 0; i < 5; ++i) learn(fit, share_of(i, group));
    fit.save(path, {{"place", "5"}});
    if (!std::filesystem::exists(path)) throw error("save came back before the file was there");
  });
  for (const int ranks : {1, 2, 4}) {
    std::vector<named_floats> all(static_cast<std::size_t>(ranks));
    run_ranks(ranks, [&](const rank_group& group) {
      auto fit = train(regression, how, start(regression), of(group));
      if (fit.resume(path).at("place") != "5" || fit.steps() != 5) throw error("resumed at another place");
      for (int i = 5; i < 12; ++i) learn(fit, share_of(i, group));
      all[static_cast<std::size_t>(group.rank())] = values_of(fit.weights());
    });
    for (const named_floats& one : all) CHECK(one == all[0]);
    check_close(all[0], whole.values);
    if (ranks == 2) CHECK(all[0] == learned_by(2, how, {})[0].values); // bit for bit
  }
}

TEST_CASE("ranks refuse a checkpoint together", "[training]") {
  const temporary_folder folder;
  const auto other = [&](int i) { return folder / ("rank_" + std::to_string(i) + ".safetensors"); };
  for (const std::uint64_t seed : {0u, 1u})
    train(regression, sgd{}, initial_weights(regression, seed), of({})).save(other(static_cast<int>(seed)));
  texts found = messages_of(2, [&](const rank_group& group) {
    train(regression, sgd{}, start(regression), of(group)).resume(other(group.rank()));
  });
  CHECK(found[0] ==
        "train: rank 1 has read another checkpoint than rank 0; expected all ranks to read the same");
  CHECK(found[1] == found[0]);
  std::filesystem::remove(other(1));
  std::vector<named_floats> after(2);
  found = messages_of(2, [&](const rank_group& group) {
    auto fit = train(regression, sgd{}, start(regression), of(group));
    const std::string problem = message_of<error>([&] { fit.resume(other(group.rank())); });
    after[static_cast<std::size_t>(group.rank())] = values_of(fit.weights());
    throw error(problem);
  });
  CHECK_THAT(found[1], Catch::StartsWith(other(1).string()));
  CHECK(found[0] == "rank 1: " + found[1]);
  CHECK(after[0] == values_of(start(regression)));

  found = messages_of(2, [&](const rank_group& group) {
    train(regression, sgd{}, start(regression), of(group)).save(folder / "missing" / "file.safetensors");
  });
  CHECK_THAT(found[0], Catch::Contains("missing"));
  CHECK(found[1] == "rank 0: " + found[0]);
  found = messages_of(2, [&](const rank_group& group) {
    auto fit = train(regression, sgd{}, start(regression), of(group, {.accumulate = 2}));
    learn(fit, share_of(0, group));
    fit.save(folder / "pending");
  });
  CHECK(found[1] == (folder / "pending").string() + ": is not written, for each rank has 1 calls of the next "
                                                    "update accumulated; expected to save after it");
}

TEST_CASE("statistics are the mean over the ranks, and what is carried is each rank's own", "[training]") {
  // Shares that are equal give what one with such a share has, states and statistics among them.
  const auto learned_alike = [](const rank_group& group) {
    auto fit = train(reader, adam{.rate = 0.01}, start(reader), of(group));
    for (int i = 0; i < 6; ++i) learn(fit, rows_of(i, 0, 4));
    return values_of(fit.weights());
  };
  const named_floats alone = learned_alike({});
  run_ranks(2, [&](const rank_group& group) {
    if (learned_alike(group) != alone) throw error("other values");
  });

  const auto after_one_step = [](const rank_group& group, const batch& b) {
    auto fit = train(reader, sgd{.rate = 0}, start(reader), of(group));
    learn(fit, b);
    return values_of(fit.weights());
  };
  named_floats together;
  run_ranks(2, [&](const rank_group& group) {
    const named_floats made = after_one_step(group, share_of(0, group));
    if (group.rank() == 1) together = made;
  });
  const named_floats whole = after_one_step({}, rows_of(0, 0, 8)),
                     first = after_one_step({}, rows_of(0, 0, 4)),
                     second = after_one_step({}, rows_of(0, 4, 4));
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(together.at("norm.running_mean")[i] == Approx(whole.at("norm.running_mean")[i]).margin(1e-6));
    CHECK(together.at("norm.running_var")[i] ==
          Approx((first.at("norm.running_var")[i] + second.at("norm.running_var")[i]) / 2));
  }
}
