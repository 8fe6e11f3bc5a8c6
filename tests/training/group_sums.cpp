// How gradients go from rank to rank: while others are made, rounded, or to one rank each.

#include "../file_content.hpp"
#include "../weights/temporary_folder.hpp"
#include "group_case.hpp"

using namespace fovea;
using namespace fovea::core::test;

TEST_CASE("gradients that are summed while others are made come to the same bits", "[training]") {
  const adam how{.rate = 0.01};
  for (train_options options : {train_options{},
                                {.accumulate = 3},
                                {.clip = 0.02, .accumulate = 2, .clip_value = 0.01},
                                {.groups = {{"in.*", 0}, {"*.bias", 0.5, 0}}}})
    for (const bool rounded : {false, true}) {
      options.bucket_bytes = 4096; // more than there is
      options.bf16_gradients = rounded;
      const std::vector<outcome> expected = learned_by(4, how, options, pace::at_end);
      CHECK(learned_by(4, how, options) == expected);
      options.bucket_bytes = 52;
      CHECK(learned_by(4, how, options) == expected);
      CHECK(learned_by(4, how, options, pace::late) == expected);
      CHECK(learned_by(4, how, options, pace::at_end) == expected);
    }
}

TEST_CASE("sums begin while a run makes other gradients", "[training]") {
  STATIC_REQUIRE(moves_meanwhile<told_moving_engine>);
  STATIC_REQUIRE(connects_ranks<told_engine> && !moves_meanwhile<told_engine>);
  const auto calls_of = [](const train_options& options) {
    std::string all;
    run_ranks(2, [&](const rank_group& group) {
      const auto calls = std::make_shared<std::string>();
      auto fit = train(regression, sgd{}, start(regression), of(paced(group, pace::at_once, calls), options));
      calls->clear();
      learn(fit, share_of(0, group));
      if (group.rank() == 0) all = *calls;
      if (fit.communicated().seconds < fit.communicated().waited) throw error("waited longer than for all");
    });
    return all;
  };
  // The ranks meet when the first 16 of 92 gradients are there, and when the run is over to tell their losses.
  CHECK(calls_of({.bucket_bytes = 64}) == "sxgxgxgxgxgxgs");
  CHECK(calls_of({}) == "sxg");
  CHECK(calls_of({.accumulate = 2, .bucket_bytes = 64}) == "s");
  CHECK(calls_of({.groups = {{"*turn*", 0}, {"in.*", 0}}, .bucket_bytes = 64}) == "sxg");
  CHECK(calls_of({.bucket_bytes = 128, .shard_state = true}) == "sxxxssggg");
}

TEST_CASE("gradients in bfloat16 differ little, and not between ranks", "[training]") {
  const outcome exact = learned_by(2, sgd{.rate = 0.1}, {})[0];
  const std::vector<outcome> rounded = learned_by(2, sgd{.rate = 0.1}, {.bf16_gradients = true});
  CHECK(rounded[1] == rounded[0]);
  CHECK(rounded[0].losses != exact.losses);
  for (std::size_t i = 0; i < exact.losses.size(); ++i)
    CHECK(rounded[0].losses[i] == Approx(exact.losses[i]).margin(2e-3));
}

TEST_CASE("ranks that keep a share of the state each come to the same", "[training]") {
  const auto check = [](const auto& how, train_options options) {
    const outcome whole = learned(how, options, {});
    options.shard_state = true;
    for (const pace when : {pace::at_once, pace::late, pace::at_end})
      for (const std::size_t bytes : {64u, 4096u}) {
        options.bucket_bytes = bytes;
        const std::vector<outcome> each = learned_by(4, how, options, when);
        for (const outcome& one : each) CHECK(one == each[0]);
        check_close(each[0].values, whole.values);
        for (std::size_t i = 0; i < whole.norms.size(); ++i)
          CHECK(each[0].norms[i] == Approx(whole.norms[i]).margin(margin));
      }
  };
  check(adamw{.rate = 0.01}, {});
  check(sgd{.rate = 0.1, .momentum = 0.9}, {.clip = 0.02, .accumulate = 2, .clip_value = 0.01});
  check(adam{.rate = 0.01}, {.groups = {{"in.*", 0}, {"*.bias", 0.5, 0}}});

  std::vector<std::int64_t> bytes(4);
  run_ranks(4, [&](const rank_group& group) {
    const auto fit = [&](bool shard) {
      return train(regression, adam{}, start(regression), of(group, {.shard_state = shard})).state_bytes();
    };
    bytes[static_cast<std::size_t>(group.rank())] = fit(true);
    if (fit(false) != 92 * 2 * 4) throw error("state");
  });
  CHECK(bytes == std::vector<std::int64_t>(4, 92 * 2 * 4 / 4));
}

TEST_CASE("a checkpoint is the same file whoever keeps the state", "[training]") {
  const temporary_folder folder;
  const auto begun = folder / "begun.safetensors";
  const adam how{.rate = 1e-2};
  auto all_learn = train(regression, how, start(regression), of({}));
  for (int i = 0; i < 3; ++i) learn(all_learn, share_of(i, {}));
  all_learn.save(begun);
  for (const int ranks : {2, 4}) {
    std::vector<std::string> files;
    for (const bool shard : {false, true}) {
      const auto path = folder / "went_on.safetensors";
      run_ranks(ranks, [&](const rank_group& group) {
        auto fit = train(
            regression, how, start(regression),
            of(group, {.groups = {{"in.*", 0}, {"*.bias", 0}}, .bucket_bytes = 64, .shard_state = shard}));
        fit.resume(begun);
        for (int i = 3; i < 5; ++i) learn(fit, share_of(i, group));
        fit.save(path);
      });
      files.push_back(content(path));
    }
    CHECK(files[0] == files[1]);
  }
}

TEST_CASE("a checkpoint of ranks is resumed by any number of them", "[training]") {
  const temporary_folder folder;
  const auto path = folder / "group.safetensors";
  const adam how{.rate = 1e-2};
  const outcome whole = learned(how, {}, {});
  const bool shard = GENERATE(false, true);
  const auto sharing = [&](const rank_group& group, bool shares) {
    return of(group, {.bucket_bytes = 100, .shard_state = shares});
  };
  run_ranks(2, [&](const rank_group& group) {
    auto fit = train(regression, how, start(regression), sharing(group, shard));
    for (int i = 0; i < 5; ++i) learn(fit, share_of(i, group));
    fit.save(path, {{"place", "5"}});
    if (!std::filesystem::exists(path)) throw error("save came back before the file was there");
  });
  for (const int ranks : {1, 2, 4})
    for (const bool shares : {false, true}) {
      std::vector<named_floats> all(static_cast<std::size_t>(ranks));
      run_ranks(ranks, [&](const rank_group& group) {
        auto fit = train(regression, how, start(regression), sharing(group, shares));
        if (fit.resume(path).at("place") != "5" || fit.steps() != 5) throw error("resumed at another place");
        for (int i = 5; i < 12; ++i) learn(fit, share_of(i, group));
        all[static_cast<std::size_t>(group.rank())] = values_of(fit.weights());
      });
      for (const named_floats& one : all) CHECK(one == all[0]);
      check_close(all[0], whole.values);
      if (ranks == 2) CHECK(all[0] == learned_by(2, how, {})[0].values); // bit for bit
    }
}
