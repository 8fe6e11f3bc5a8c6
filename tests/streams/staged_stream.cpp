// A stream whose stages are on several ranks, against the stream of the whole model.

#include "../compare_backends.hpp"
#include "../paced_group.hpp"

#include <fovea/models/gpt2.hpp>
#include <fovea/runtime/ranks/thread_ranks.hpp>
#include <fovea/runtime/staged_stream.hpp>

#include "../message_of.hpp"

#include <array>
#include <vector>

using namespace fovea;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};
inline constexpr models::gpt2_config tiny{.layers = 3, .heads = 2, .width = 16, .vocab = 30, .context = 16};
inline constexpr const auto& gpt = models::gpt2<tiny>;
const compile_options how{.capacity = {{B, 2}, {T, 16}}, .threads = 1};
const xt::xtensor<int, 2> first = {{1, 2, 3}, {9, 8, 7}}, second = {{4}, {6}}, third = {{5}, {5}};

/// The logits of three steps, rows changing places before the last.
template <class S>
std::vector<float> logits_of(S& live) {
  std::vector<float> all;
  const auto step = [&](const xt::xtensor<int, 2>& ids) {
    const auto logits = live.step("tokens"_in = ids)["logits"_out];
    all.insert(all.end(), logits.begin(), logits.end());
  };
  live.begin();
  step(first), step(second);
  live.reorder(std::array<std::size_t, 2>{1, 0});
  step(third);
  return all;
}

/// The logits of a step in place of the newest three.
template <class S>
std::vector<float> logits_of_others(S& live) {
  live.rewind(3);
  const auto logits = live.step("tokens"_in = second)["logits"_out];
  return {logits.begin(), logits.end()};
}

} // namespace

TEST_CASE("stages on ranks stream what the whole model streams, bit for bit", "[shard]") {
  const model_weights weights = random_weights(gpt);
  auto whole = stream<T>(gpt, weights, how);
  const std::vector<float> expected = logits_of(whole), others = logits_of_others(whole);
  for (const int ranks : {1, 2, 3}) {
    std::vector<std::vector<float>> found(static_cast<std::size_t>(ranks)), found_others = found;
    run_ranks(ranks, [&](const rank_group& group) {
      auto live = stream_stages<T, 3>(gpt, weights, group, how);
      found[static_cast<std::size_t>(group.rank())] = logits_of(live);
      if (live.most_rows() != 2 || live.position(1) != 5) throw error("expected 2 rows of 5 positions");
      found_others[static_cast<std::size_t>(group.rank())] = logits_of_others(live);
    });
    for (const std::vector<float>& of_rank : found) CHECK(of_rank == expected);
    for (const std::vector<float>& of_rank : found_others) CHECK(of_rank == others);
  }
}

TEST_CASE("steps of several streams are in flight at once, to the same bits", "[shard]") {
  const model_weights weights = random_weights(gpt);
  auto whole = stream<T>(gpt, weights, how);
  const std::vector<float> expected = logits_of(whole);
  const auto check = [&](int ranks, auto group_of) {
    std::vector<std::vector<float>> found(static_cast<std::size_t>(ranks));
    run_ranks(ranks, [&](const rank_group& group) {
      auto one = stream_stages<T, 3>(gpt, weights, group_of(group), how);
      one.begin();
      auto other = one; // by the same weights
      std::vector<float>& all = found[static_cast<std::size_t>(group.rank())];
      const auto end = [&](auto& live, bool is_kept) {
        const auto logits = live.end_step()["logits"_out];
        if (is_kept) all.insert(all.end(), logits.begin(), logits.end());
      };
      one.begin_step("tokens"_in = first), other.begin_step("tokens"_in = second); // of other sizes
      for (const auto* ids : {&second, &third}) {
        end(one, true);
        if (ids == &third) one.reorder(std::array<std::size_t, 2>{1, 0});
        one.begin_step("tokens"_in = *ids);
        end(other, false), other.begin_step("tokens"_in = third);
      }
      end(one, true), end(other, false);
    });
    for (const std::vector<float>& of_rank : found) CHECK(of_rank == expected);
  };
  for (const int ranks : {1, 2, 3}) {
    check(ranks, [](const rank_group& group) { return group; });
    check(ranks, [](const rank_group& group) { return paced(group, pace::late); });
    check(ranks, [](const rank_group& group) { return paced(group, pace::at_end); });
  }
}

TEST_CASE("a step begins and ends in turn", "[shard]") {
  const model_weights weights = random_weights(gpt);
  auto live = stream_stages<T, 3>(gpt, weights, {}, how);
  CHECK(message_of<error>([&] { live.end_step(); }) == "gpt2: expected begin_step(...) before end_step()");
  live.begin();
  live.begin_step("tokens"_in = first);
  CHECK(message_of<error>([&] { live.begin_step("tokens"_in = second); }) ==
        "gpt2: expected end_step() before begin_step(...)");
  CHECK(message_of<error>([&] { live.begin(); }) == "gpt2: expected end_step() before begin(...)");
  live.end_step();
}

TEST_CASE("what one rank refuses, all refuse", "[shard]") {
  const model_weights weights = random_weights(gpt);
  CHECK(message_of<error>([&] {
          run_ranks(4, [&](const rank_group& group) { stream_stages<T, 3>(gpt, weights, group, how); });
        }) == "gpt2: expected at most 3 ranks, one for each stage, found 4");
  std::array<std::string, 2> messages;
  run_ranks(2, [&](const rank_group& group) {
    auto live = stream_stages<T, 2>(gpt, weights, group, how);
    const xt::xtensor<int, 2> wrong = {{30}};
    messages[static_cast<std::size_t>(group.rank())] =
        message_of<error>([&] { live.step("tokens"_in = wrong); });
  });
  CHECK(messages[0] == "gpt2: input \"tokens\" [B, T]: tokens[0, 0] is 30, expected 0 to 29");
  CHECK(messages[1] == messages[0]);
  run_ranks(2, [&](const rank_group& group) { // and go on from the next begin
    auto live = stream_stages<T, 3>(gpt, weights, group, how);
    const xt::xtensor<int, 2> wrong = {{1, 30}};
    auto other = live;
    other.begin(), live.begin();
    live.step("tokens"_in = xt::xtensor<int, 2>{{1, 2}});
    live.begin_step("tokens"_in = wrong), other.begin_step("tokens"_in = first);
    const bool refused = !message_of<error>([&] { live.end_step(); }).empty();
    other.end_step();
    const std::vector<float> logits = logits_of(live);
    auto whole = stream<T>(gpt, weights, how);
    if (!refused || logits != logits_of(whole)) throw error("went on from something else");
  });
}
