// What the train_ programs share of learning by ranks.

#include "../file_content.hpp"
#include "../message_of.hpp"
#include "../weights/temporary_folder.hpp"

#include <training/finish.hpp>
#include <training/group.hpp>
#include <training/pace.hpp>
#include <training/sameness.hpp>

#include <fovea/runtime/ranks/thread_ranks.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

using fovea::rank_group;

namespace {

using numbers = std::vector<std::size_t>;

/// What each of so many ranks gives.
template <class F>
auto of_each(int ranks, F work) {
  std::vector<decltype(work(rank_group{}))> all(static_cast<std::size_t>(ranks));
  fovea::run_ranks(
      ranks, [&](const rank_group& group) { all[static_cast<std::size_t>(group.rank())] = work(group); });
  return all;
}

/// The second of two ranks, which waits long in each call.
struct slow_engine {
  static constexpr auto delay = std::chrono::milliseconds(5);
  int rank() const { return 1; }
  int size() const { return 2; }
  void sum(std::span<float>) { std::this_thread::sleep_for(delay); }
  void broadcast(std::span<std::byte>, int) { std::this_thread::sleep_for(delay); }
};

} // namespace

TEST_CASE("ranks take a batch in equal shares", "[training]") {
  const numbers batch{7, 3, 9, 4, 1};
  const auto filled = of_each(2, [&](const rank_group& group) { return training::filled(batch, group); });
  CHECK(filled[0] == numbers{7, 3, 9, 4, 1, 7});
  CHECK(filled[1] == filled[0]);
  CHECK(of_each(4, [&](const rank_group& group) { return training::filled(batch, group); })[2] ==
        numbers{7, 3, 9, 4, 1, 7, 3, 9});
  CHECK(of_each(4, [&](const rank_group& group) { return training::filled(numbers{5}, group); })[2] ==
        numbers{5, 5, 5, 5});
  CHECK(training::filled(batch, {}) == batch);

  const xt::xtensor<int, 2> rows{{1, 2}, {3, 4}, {5, 6}, {7, 8}};
  const auto shares = of_each(2, [&](const rank_group& group) { return training::share_of(rows, group); });
  CHECK((shares[0] == xt::xtensor<int, 2>{{1, 2}, {3, 4}}));
  CHECK((shares[1] == xt::xtensor<int, 2>{{5, 6}, {7, 8}}));
  CHECK((training::share_of(rows, {}) == rows));

  CHECK(of_each(4, [](const rank_group& group) { return training::share_of(12, group); })[3] == 3);
  CHECK(of_each(2, [](const rank_group& group) {
          return message_of<fovea::error>([&] { training::share_of(7, group); });
        })[1] == "--batch: expected a multiple of 2, for so many ranks learn together; found 7");
}

TEST_CASE("ranks tell each other numbers bit for bit", "[training]") {
  const std::vector<double> told{-0.0, 0.1, std::numeric_limits<double>::infinity(), -1e300};
  for (const auto& heard : of_each(4, [&](const rank_group& group) {
         return training::told_by_each(told[static_cast<std::size_t>(group.rank())], group);
       })) {
    CHECK(heard == told);
    CHECK(std::signbit(heard[0]));
  }
  CHECK(training::told_by_each(0.3, {}) == std::vector{0.3});
}

TEST_CASE("a mean is over what all ranks look at", "[training]") {
  const auto look = [](std::size_t i) {
    return training::part_of_mean{static_cast<double>(i), static_cast<double>(i + 1)};
  };
  const double expected = (0. * 1 + 1 * 2 + 2 * 3 + 3 * 4 + 4 * 5) / (1 + 2 + 3 + 4 + 5);
  for (const int ranks : {1, 2, 4, 8}) // of 8, three have nothing to look at
    for (const double mean :
         of_each(ranks, [&](const rank_group& group) { return training::mean_over(5, group, look); }))
      CHECK(mean == Approx(expected));
}

TEST_CASE("ranks with other files are refused", "[training]") {
  const temporary_folder folder;
  const auto file = folder.write("text", "some text"), same = folder.write("same", "some text"),
             other = folder.write("other", "some texT");
  const auto problems = [&](const std::vector<std::filesystem::path>& of_rank) {
    return of_each(3, [&](const rank_group& group) {
      return message_of<fovea::error>([&] {
        training::expect_same("train", {file, of_rank[static_cast<std::size_t>(group.rank())]}, group);
        throw fovea::error("none");
      });
    });
  };
  CHECK(problems({file, same, file}) == std::vector<std::string>(3, "none"));
  const auto found = problems({file, file, other});
  CHECK(found[0] ==
        "rank 2 has other data in " + file.string() + " than rank 0; expected the same on all ranks");
  CHECK(found[2] ==
        "rank 2 has other data in " + other.string() + " than rank 0; expected the same on all ranks");
}

TEST_CASE("a slow rank is named", "[training]") {
  CHECK(training::slow_rank({1, 1.1, 1, 1.31}) ==
        "rank 3 took 1.31 times as long for its part of a step as the median rank");
  CHECK(training::slow_rank({2, 1}) ==
        "rank 0 took 2.00 times as long for its part of a step as the median rank");
  for (const std::vector<double>& seconds :
       std::vector<std::vector<double>>{{}, {1}, {1, 1.19}, {1, 1.1, 1.15, 1.05}, {0, 0}})
    CHECK_FALSE(training::slow_rank(seconds));

  const temporary_folder folder;
  training::run what;
  what.how.out = folder.path();
  training::outcome result;
  result.seconds_of_step = {0.002, 0.001};
  training::finish(what, result);
  CHECK_THAT(content(folder / "report.html"),
             Catch::Contains("<tr><td>ranks</td><td>2</td></tr>\n") &&
                 Catch::Contains("<tr><td>a step of rank 0, without waiting</td><td>2.00 ms</td></tr>\n") &&
                 Catch::Contains("<tr><td>slow</td><td>rank 0 took 2.00 times as long"));
}

TEST_CASE("what a rank waits does not count as its own time", "[training]") {
  const rank_group group = slow_engine();
  training::pace pace(group);
  CHECK(pace.seconds_of_step() == 0);
  float value = 0;
  for (int step = 0; step < 2; ++step) {
    pace.begin();
    group.sum({&value, 1});
    group.broadcast(std::as_writable_bytes(std::span(&value, 1)));
    pace.end();
  }
  CHECK(group.seconds_waited() >= 4 * std::chrono::duration<double>(slow_engine::delay).count());
  const double own = pace.seconds_of_step();
  CHECK(own >= 0);
  std::this_thread::sleep_for(slow_engine::delay); // between steps
  pace.begin();
  std::this_thread::sleep_for(2 * slow_engine::delay);
  pace.end();
  CHECK(pace.seconds_of_step() >= 2 * std::chrono::duration<double>(slow_engine::delay).count() / 3);
  CHECK(rank_group().seconds_waited() == 0);
}
