// Ranks that learn together, as threads: they come to what one comes to with the whole batch, and refuse together.

#include "../weights/temporary_folder.hpp"
#include "group_case.hpp"

#include <limits>

using namespace fovea;
using namespace fovea::core::test;

namespace {

/// With statistics that are gathered, and a state that is carried.
constexpr auto reader = model("reader", [](graph& g) {
  const expr x = g.input<f32>("x", {B, 3}), before = g.input<f32>("state", {B, 2});
  const expr state = tanh(linear(batch_norm(x, "norm"), "in", 2) + 0.5 * before);
  g.output("new.state", state);
  g.output("loss", mse(state, g.input<f32>("y", {B, 2})));
});

/// A loss that counts some targets alone.
constexpr dim T{"T"};
constexpr auto tagger = model("tagger", [](graph& g) {
  const expr scores = linear(g.input<f32>("x", {B, T, 3}), "out", 4);
  g.output("loss", 0.5 * cross_entropy(scores, g.input<i32>("targets", {B, T}), {.ignore = 0}));
});
template <class M>
constexpr bool weighed(const M& loss) {
  return decltype(gradients<false, true>(loss))::count_output() >= 0;
}
constexpr auto by_mask = model("by_mask", [](graph& g) {
  const expr x = linear(g.input<f32>("x", {B, 3}), "out", 1),
             counts = to_float(g.input<i32>("counts", {B, 1}));
  g.output("loss", sum(sum(x * x * counts, axis(1)), axis(0)) / max(sum(sum(counts, axis(1)), axis(0)), 1.0));
});
/// Of row r the first r / 2 of five targets count: of rows 0 and 1 none.
template <class trainer>
training_step learn_tags(trainer& fit, std::size_t first, std::size_t rows) {
  xt::xtensor<float, 3> x = xt::empty<float>({rows, std::size_t{5}, std::size_t{3}});
  xt::xtensor<int, 2> targets = xt::zeros<int>({rows, std::size_t{5}});
  for (std::size_t k = 0; k < x.size(); ++k) x.flat(k) = std::sin(static_cast<float>(15 * first + k));
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t t = 0; t < (first + r) / 2; ++t)
      targets(r, t) = 1 + static_cast<int>((first + r + t) % 3);
  return fit.step("x"_in = x, "targets"_in = targets);
}
/// What three updates come to, each by eight rows that ranks and calls share.
template <class backend = f32>
outcome learned_tags(const rank_group& group, train_options options = {}) {
  options.capacity = {{B, 8}, {T, 5}}, options.group = group;
  auto fit = train<backend>(tagger, sgd{.rate = 0.5}, start(tagger), options);
  const auto calls = static_cast<std::size_t>(options.accumulate),
             ranks = static_cast<std::size_t>(group.size());
  outcome made;
  for (std::size_t i = 0; i < 3 * calls; ++i) {
    const std::size_t rows = 8 / (ranks * calls);
    const training_step done =
        learn_tags(fit, (i % calls * ranks + static_cast<std::size_t>(group.rank())) * rows, rows);
    if (!done.updated) continue;
    made.losses.push_back(done.loss);
    made.norms.push_back(done.gradient_norm);
  }
  made.values = values_of(fit.weights());
  return made;
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

TEST_CASE("ranks and calls weigh as many targets as their losses count", "[training]") {
  const outcome whole = learned_tags({});
  const auto check = [&](const outcome& found) {
    check_close(found.values, whole.values);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(found.losses[i] == Approx(whole.losses[i]).margin(margin));
      CHECK(found.norms[i] == Approx(whole.norms[i]).margin(margin));
    }
  };
  const auto check_ranks = [&](int ranks, const train_options& options, auto learned) {
    std::vector<outcome> all(static_cast<std::size_t>(ranks));
    run_ranks(ranks, [&](const rank_group& group) {
      all[static_cast<std::size_t>(group.rank())] = learned(group, options);
    });
    for (const outcome& one : all) CHECK(one == all[0]);
    check(all[0]);
  };
  for (const int calls : {2, 4, 8}) check(learned_tags({}, {.accumulate = calls}));
  for (const std::size_t bucket_bytes : {0u, 16u})
    for (const bool shard : {false, true}) {
      const auto learned = [](const auto&... given) { return learned_tags(given...); };
      for (const int ranks : {2, 4})
        check_ranks(ranks, {.bucket_bytes = bucket_bytes, .shard_state = shard}, learned);
      check_ranks(2, {.accumulate = 2, .bucket_bytes = bucket_bytes, .shard_state = shard}, learned);
    }
  check_ranks(2, {}, [](const auto&... given) { return learned_tags<reference>(given...); });

  run_ranks(2, [](const rank_group& group) {
    auto fit = train(tagger, adam{}, start(tagger), {.capacity = {{B, 8}, {T, 5}}, .group = group});
    const training_step done = learn_tags(fit, static_cast<std::size_t>(group.rank()), 1); // none counts
    if (done.loss != 0 || done.gradient_norm != 0) throw error("a loss of no target");
    if (values_of(fit.weights()) != values_of(start(tagger))) throw error("learned from no target");
  });
  // So does a checkpoint of the first calls of an update.
  const temporary_folder folder;
  const auto fit = [] {
    return train(tagger, sgd{.rate = 0.5}, start(tagger), {.capacity = {{B, 8}, {T, 5}}, .accumulate = 4});
  };
  auto whole_update = fit(), interrupted = fit(), resumed = fit();
  for (std::size_t i = 0; i < 3; ++i) learn_tags(whole_update, 2 * i, 2), learn_tags(interrupted, 2 * i, 2);
  interrupted.save(folder / "pending.safetensors");
  resumed.resume(folder / "pending.safetensors");
  const float expected = learn_tags(whole_update, 6, 2).loss;
  CHECK(learn_tags(resumed, 6, 2).loss == expected);
  CHECK(values_of(resumed.weights()) == values_of(whole_update.weights()));
  // Ranks go on from it, too, and count it once.
  for (const bool shard_state : {false, true})
    run_ranks(2, [&](const rank_group& group) {
      auto by_ranks =
          train(tagger, sgd{.rate = 0.5}, start(tagger),
                {.capacity = {{B, 8}, {T, 5}}, .accumulate = 4, .group = group, .shard_state = shard_state});
      by_ranks.resume(folder / "pending.safetensors");
      const float loss = learn_tags(by_ranks, 6 + static_cast<std::size_t>(group.rank()), 1).loss;
      if (group.rank() != 0) return;
      CHECK(loss == Approx(expected));
      check_close(values_of(by_ranks.weights()), values_of(whole_update.weights()));
    });

  STATIC_REQUIRE(weighed(tagger));
  STATIC_REQUIRE(weighed(by_mask));
  STATIC_REQUIRE_FALSE(weighed(regression));
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
  const std::size_t bucket_bytes = GENERATE(std::size_t{1} << 20, std::size_t{64}); // begun while it runs
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<named_floats> after(2);
  texts found = messages_of(2, [&](const rank_group& group) {
    auto fit = train(regression, sgd{.rate = 0.1}, start(regression),
                     of(paced(group, pace::late), {.bucket_bytes = bucket_bytes}));
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
    auto fit = train(regression, sgd{}, start(regression), of(group, {.bucket_bytes = bucket_bytes}));
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
  const std::size_t bucket_bytes = GENERATE(std::size_t{1} << 20, std::size_t{64});
  const texts found = messages_of(2, [&](const rank_group& group) {
    auto fit = train(regression, sgd{}, start(regression), of(group, {.bucket_bytes = bucket_bytes}));
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

TEST_CASE("who is left alone is told so at each call", "[training]") {
  std::vector<std::string> said;
  run_ranks(2, [&](const rank_group& group) {
    std::vector<float> values(3, 1.f);
    group.mean(values);
    for (int i = 0; i < 3 && group.rank() == 0; ++i)
      said.push_back(message_of<error>([&] { group.mean(values); }));
  });
  CHECK(said ==
        std::vector<std::string>(3, "rank 1 has left the group; expected the same calls on every rank"));
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

TEST_CASE("batch_norm takes the statistics of all ranks' rows where that is wanted", "[training]") {
  const auto learned_by_rows =
      []<class backend = f32>(const rank_group& group, const train_options& options, backend = {}) {
    auto fit = train<backend>(reader, adam{.rate = 0.01}, start(reader), of(group, options));
    for (int i = 0; i < 6; ++i) {
      fit.begin();
      learn(fit, share_of(i, group));
    }
    return values_of(fit.weights());
  };
  const named_floats whole = learned_by_rows({}, {.batch_norm_over_ranks = true});
  CHECK(learned_by_rows({}, {}) == whole);
  for (const int ranks : {2, 4})
    for (const train_options& options : {train_options{}, {.bucket_bytes = 16}}) {
      std::vector<named_floats> all(static_cast<std::size_t>(ranks));
      run_ranks(ranks, [&](const rank_group& group) {
        train_options own = options;
        own.batch_norm_over_ranks = true;
        all[static_cast<std::size_t>(group.rank())] = learned_by_rows(group, own);
      });
      for (const named_floats& one : all) CHECK(one == all[0]);
      check_close(all[0], whole);
    }
  run_ranks(2, [&](const rank_group& group) {
    const named_floats found = learned_by_rows(group, {.batch_norm_over_ranks = true}, reference{});
    if (group.rank() == 1) check_close(found, whole);
  });
  const texts found = messages_of(2, [&](const rank_group& group) {
    auto fit = train(reader, sgd{}, start(reader), of(group, {.batch_norm_over_ranks = true}));
    learn(fit, rows_of(0, 0, group.rank() == 1 ? all_rows + 1 : 2));
  });
  CHECK_THAT(found[1], Catch::Contains("is 9, expected 1 to 8"));
  CHECK(found[0] == "rank 1: " + found[1]);
}

TEST_CASE("ranks whose statistics are of all count as many targets as each other", "[training]") {
  const auto learn_from = [](std::size_t apart) {
    return messages_of(2, [&](const rank_group& group) {
      auto fit = train(tagger, sgd{}, start(tagger),
                       {.capacity = {{B, 8}, {T, 5}}, .group = group, .batch_norm_over_ranks = true});
      const std::string problem =
          message_of<error>([&] { learn_tags(fit, 4 + apart * static_cast<std::size_t>(group.rank()), 2); });
      const bool as_it_was = values_of(fit.weights()) == values_of(start(tagger));
      throw error(problem + (as_it_was ? "" : "; learned"));
    });
  };
  CHECK(learn_from(0) == texts{"; learned", "; learned"});
  const std::string expected =
      "train: at step 1 rank 1 has a number of counted targets (for "
      ".batch_norm_over_ranks) of 6, and rank 0 of 4; expected the same on every rank";
  CHECK(learn_from(2) == texts{expected, expected});
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
