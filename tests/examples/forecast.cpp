// Runs of train_forecast and forecast, and their parts.

#include "child_process.hpp"
#include "program_run.hpp"

#include <forecast/calendar.hpp>
#include <forecast/series_file.hpp>
#include <picture/forecast.hpp>
#include <train_forecast/errors.hpp>
#include <train_forecast/season.hpp>

#include <fovea/base/error.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <cmath>
#include <numbers>
#include <random>
#include <thread>

using namespace forecast_program;
using namespace train_forecast;

namespace {

namespace fs = std::filesystem;
using texts = std::vector<std::string>;

double wave(std::size_t step, double season) {
  return std::sin(2 * std::numbers::pi * static_cast<double>(step) / season);
}

double two_seasons_at(std::size_t step) { return 500 + 20 * wave(step, 12) + 10 * wave(step, 36); }

/// Hours of two seasons, and noise between -6 and 6.
std::string two_seasons(std::size_t steps) {
  std::mt19937 drawn(3);
  const texts times = times_after(texts{"2024-01-31 22:00", "2024-01-31 23:00"}, steps);
  std::string text = "time,load\n";
  for (std::size_t i = 0; i < steps; ++i) {
    const double noise = static_cast<double>(drawn() % 2001) / 1000 - 1;
    text += times[i] + "," + std::to_string(two_seasons_at(i) + 6 * noise) + "\n";
  }
  return text;
}

struct files {
  temporary_folder folder;
  std::string out = (folder / "out").string();

  std::string write(const std::string& content) const { return folder.write("series.csv", content).string(); }
  program_run train(const std::string& series, texts more = {}) const {
    more.insert(more.begin(), {FOVEA_TRAIN_FORECAST, "--out", out, "--threads", "1"});
    more.push_back(series);
    return run_program(folder, more);
  }
  program_run forecast(const std::string& series, texts more = {}) const {
    more.insert(more.begin(), {FOVEA_FORECAST, series, out});
    return run_program(folder, more);
  }
};

/// The number behind a text.
double number_behind(const std::string& all, const std::string& text) {
  const std::size_t at = all.find(text);
  REQUIRE(at != std::string::npos);
  return std::stod(all.substr(at + text.size()));
}

std::string read_message(const files& f, const std::string& content, const texts& columns = {}) {
  const std::string file = f.write(content);
  const std::string said = message_of<fovea::error>([&] { read_series(file, columns); });
  return said.starts_with(file) ? said.substr(file.size()) : said;
}

} // namespace

TEST_CASE("a network learns two seasons, and forecasts better than the season before", "[forecast]") {
  const files f;
  const std::string series = f.write(two_seasons(900));
  const texts short_run{"--steps", "200", "--evaluate-every", "50", "--rate", "3e-3"};
  const program_run run = f.train(series, short_run);
  INFO(run.said);
  REQUIRE(run.status == 0);
  CHECK_THAT(run.said,
             Catch::Contains("900 steps of load, from 2024-02-01 00:00 to 2024-03-09 11:00, which are "
                             "evenly apart\n630 steps to learn from, 90 to choose by, 180 to test"));
  CHECK_THAT(run.said, Catch::Contains("a season of 36 steps") && Catch::Contains("the best baseline"));
  const double network = number_behind(run.said, "test, normalised, PatchTST ");
  CHECK(network < number_behind(run.said, "test, normalised, the last value "));
  CHECK(number_behind(run.said, "squared error of PatchTST ") < 0.9);
  CHECK(number_behind(run.said, "test, load, PatchTST ") > 9); // the noise alone has 12
  CHECK_THAT(content(f.folder / "out" / "test.svg"), Catch::Contains("</svg>"));

  // A run that has come to its end is resumed to the same.
  texts resumed = short_run;
  resumed.emplace_back("--resume");
  const program_run again = f.train(series, resumed);
  CHECK(number_behind(again.said, "test, normalised, PatchTST ") == network);

  const std::string picture = (f.folder / "next.svg").string(), file = (f.folder / "next.csv").string();
  const program_run next = f.forecast(series, {"--picture", picture});
  INFO(next.said);
  CHECK(next.status == 0);
  CHECK_THAT(next.said,
             Catch::StartsWith("time,load\n2024-03-09 12:00,") && Catch::Contains("\n2024-03-10 11:00,"));
  CHECK_THAT(content(picture), Catch::Contains("</svg>"));
  CHECK(f.forecast(series, {"--out", file}).said.empty());
  CHECK(content(file) == next.said);
  const forecast_program::series ahead = read_series(file);
  REQUIRE(ahead.steps() == 24);
  double off = 0, line = 0;
  for (std::size_t i = 0; i < 24; ++i) {
    off += std::abs(ahead.values(i, 0) - two_seasons_at(900 + i)) / 24;
    line += std::abs(500 - two_seasons_at(900 + i)) / 24;
  }
  CHECK(off < line / 3);
}

TEST_CASE("a training of a forecast that was killed goes on to the same numbers", "[forecast]") {
  const files f;
  const std::string series = f.write(two_seasons(400));
  const auto command = [&](const char* out, const texts& more = {}) {
    texts all{FOVEA_TRAIN_FORECAST, series, "--out",        (f.folder / out).string(),
              "--threads",          "1",    "--steps",      "120",
              "--evaluate-every",   "30",   "--save-every", "10"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  REQUIRE(run_program(f.folder, command("whole")).status == 0);
  {
    child_process one(command("killed"), f.folder / "output");
    while (one.is_running() && !fs::exists(f.folder / "killed" / "checkpoint.safetensors"))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    one.end(SIGKILL);
    CHECK(one.wait() == -SIGKILL);
  }
  REQUIRE(run_program(f.folder, command("killed", {"--resume"})).status == 0);
  for (const char* file : {"weights.safetensors", "forecast.json"})
    CHECK(content(f.folder / "whole" / file) == content(f.folder / "killed" / file));
}

TEST_CASE("several columns are forecast, one beside the other", "[forecast]") {
  const files f;
  std::string text = "b;\"a, of \"\"x\"\"\";unused\r\n";
  for (std::size_t i = 0; i < 400; ++i)
    text += std::to_string(wave(i, 24)) + ";" + std::to_string(1000 * wave(i, 24)) + ";none\r\n";
  const std::string series = f.write(text);
  const program_run run =
      f.train(series, {"--column", "a, of \"x\"", "--column", "b", "--steps", "20", "--season", "24"});
  INFO(run.said);
  REQUIRE(run.status == 0);
  CHECK_THAT(run.said,
             Catch::Contains("400 steps of a, of \"x\", b\ncolumns that are not used: unused\n") &&
                 Catch::Contains("a season of 24 steps") &&
                 Catch::Contains("test, normalised, the value 24 steps before 0.0000 squared") &&
                 Catch::Contains("times that of the value 24 steps before, which forecasts better"));
  const program_run next = f.forecast(series);
  INFO(next.said);
  CHECK_THAT(next.said, Catch::StartsWith("step,\"a, of \"\"x\"\"\",b\n+1,") && Catch::Contains("\n+24,"));
}

TEST_CASE("bad input to train_forecast and forecast is one line", "[forecast]") {
  const files f;
  const auto refusal = [](const program_run& one) {
    INFO(one.said);
    CHECK(one.status == 2);
    CHECK(one.is_one_line());
    return one.said;
  };
  const std::string series = f.write(two_seasons(300));
  CHECK_THAT(refusal(f.train(series, {"--horizon", "48"})), Catch::Contains("--horizon: 48 not in {24,96}"));
  CHECK_THAT(refusal(f.train(series, {"--horizon", "96"})),
             Catch::Contains("series.csv: expected at least 432 steps to learn from, found 210 of 300"));
  CHECK_THAT(refusal(f.train(series, {"--validation", "0.05"})),
             Catch::Contains("series.csv: expected at least 24 steps to choose by, found 15 of 300"));
  CHECK_THAT(refusal(f.train(series, {"--test", "0.05"})),
             Catch::Contains("series.csv: expected at least 24 steps to test, found 15 of 300"));
  CHECK_THAT(
      refusal(f.train(series, {"--season", "241"})),
      Catch::Contains("--season: expected at most 240 steps, so many lie before the test part; found 241"));
  CHECK_THAT(refusal(f.train(series, {"--column", "loads"})),
             Catch::Contains("series.csv:1: expected a column 'loads', found 'time', 'load'"));
  std::string same = "x\n";
  for (int i = 0; i < 300; ++i) same += "7\n";
  CHECK_THAT(refusal(f.train(f.write(same))),
             Catch::Contains(
                 "column 'x': expected values that differ in the 210 steps to learn from, found 7 alone"));
  CHECK_THAT(refusal(f.train((f.folder / "none.csv").string())), Catch::Contains("none.csv: cannot open"));

  CHECK_THAT(refusal(f.forecast(series)),
             Catch::Contains("forecast.json: no such file; train_forecast writes it"));
  fs::create_directory(f.out);
  const auto knows = [&](const std::string& text) { f.folder.write("out/forecast.json", text); };
  knows("{}");
  CHECK_THAT(
      refusal(f.forecast(series)),
      Catch::Contains("expected what train_forecast writes: horizon, columns, mean, deviation and error"));
  knows(R"({"horizon": 48, "columns": ["load"], "mean": [0], "deviation": [1], "error": [[]]})");
  CHECK_THAT(refusal(f.forecast(series)),
             Catch::Contains("expected a horizon that the program is compiled for, 24 or 96; found 48"));
  knows(R"({"horizon": 24, "columns": ["load"], "mean": [0], "deviation": [0], "error": [[]]})");
  CHECK_THAT(refusal(f.forecast(series)),
             Catch::Contains("expected a mean, a deviation above 0 and the errors"));
}

TEST_CASE("a file of a series is read, or refused by line and column", "[forecast]") {
  const files f;
  const series s = read_series(f.write("\xef\xbb\xbf"
                                       "day\tä b\tc\r\n20240228\t1e3\t-2\r\n20240229\t .5 \t3\r\n\r\n"));
  CHECK(s.time_name == "day");
  CHECK(s.times == texts{"20240228", "20240229"});
  CHECK(s.names == texts{"ä b", "c"});
  CHECK((s.values == xt::xtensor<double, 2>{{1000, -2}, {0.5, 3}}));
  CHECK(description(s, "f") == "f: 2 steps of ä b, c, from 20240228 to 20240229, which are evenly apart\n");
  const series chosen = read_series(f.write("x,y\n1,2\n3,4\n2,\n"), {"x"});
  CHECK(chosen.times.empty());
  CHECK(chosen.unused == texts{"y"});
  CHECK(read_series(f.write("year,x\n1999,2\n2000,4\n")).names == texts{"x"});
  CHECK(read_series(f.write("load,x\n1999,2\n2010,4\n2005,4\n")).names == texts{"load", "x"});
  const series named = read_series(f.write("quarter,x\nfirst,2\nsecond,4\n"));
  CHECK_THAT(description(named, "f"),
             Catch::Contains("from first to second, which are not known to be evenly apart"));

  CHECK(read_message(f, "t,x\n2024-01-01,1\n2024-01-02,\n") ==
        ":3: column 'x': expected a number, found an empty cell");
  CHECK(read_message(f, "t,x\n2024-01-01,1\n2024-01-02,one\n") ==
        ":3: column 'x': expected a number, found 'one'");
  CHECK(read_message(f, "x\n1\nnan\n") == ":3: column 'x': expected a number, found 'nan'");
  CHECK(read_message(f, "t;x\n2024;1,5\n") == ":2: column 'x': expected a number, found '1,5'");
  CHECK(read_message(f, "t,x\na,1\n\nb,2\n") == ":3: expected 2 cells, as the first line has; found 1");
  CHECK(read_message(f, "t,x\na,\"1\n") == ":2: expected a closing quotation mark, found the line's end");
  CHECK(read_message(f, "t,x\na,\"1\"2\n") == ":2: expected ',' behind the quotation mark, found '2'");
  CHECK(read_message(f, "t,x\n2024-01-02,1\n2024-01-01,1\n") ==
        ":3: column 't': expected a time after 2024-01-02, found 2024-01-01");
  CHECK(read_message(f, "year,x\n2000,1\n1999,1\n") ==
        ":3: column 'year': expected a time after 2000, found 1999");
  CHECK(read_message(f, "1,2\n3,4\n") == ":1: expected the names of the columns, found numbers");
  CHECK(read_message(f, "t,x,x\na,1,2\n") == ":1: expected a name for one column, found 'x' twice");
  CHECK(read_message(f, "t,,x\na,1,2\n") == ":1: expected a name of column 2, found an empty cell");
  CHECK(read_message(f, "x\n") == ": expected a line of names and lines of values, found 1 lines");
  CHECK(read_message(f, "x\n1\n", {"x", "x"}) == "expected each column once, found 'x' twice");
  CHECK_THAT(read_message(f, "x\n\xff\n"), Catch::StartsWith(":2: "));
}

TEST_CASE("times go on as they are written", "[forecast]") {
  const auto after = [](const texts& times) { return times_after(times, 2); };
  CHECK(after({"2024-02-27", "2024-02-28"}) == texts{"2024-02-29", "2024-03-01"});
  CHECK(after({"2024/12/30", "2024/12/31"}) == texts{"2025/01/01", "2025/01/02"});
  CHECK(after({"20231224", "20231231"}) == texts{"20240107", "20240114"});
  CHECK(after({"2024-11", "2024-12"}) == texts{"2025-01", "2025-02"});
  CHECK(after({"2024-01-15", "2024-02-15", "2024-03-15"}) == texts{"2024-04-15", "2024-05-15"});
  CHECK(after({"2023-12-31", "2024-01-31", "2024-02-29"}) == texts{"2024-03-31", "2024-04-30"});
  CHECK(after({"1999", "2001"}) == texts{"2003", "2005"});
  CHECK(after({"2024-12-31T23:15:00Z", "2024-12-31T23:30:00Z"}) ==
        texts{"2024-12-31T23:45:00Z", "2025-01-01T00:00:00Z"});
  CHECK(after({"2024-12-31 23:00", "2024-12-31 23:30"}) == texts{"2025-01-01 00:00", "2025-01-01 00:30"});
  CHECK(after({"2024-01-01", "2024-01-02", "2024-01-04"}).empty());
  CHECK(after({"2024-01-01"}).empty());
  CHECK(after({"Monday", "Tuesday"}).empty());
  for (const char* none :
       {"", "24", "999", "2024-13", "2023-02-29", "2024-1-1", "2024-01-01 24:00", "2024-01-01 10:60",
        "2024-01-01x", "2024-01-01 10:00:61", "2024-", "202401", "20240230", "1.5"})
    CHECK_FALSE(seconds_of(none));
  CHECK(seconds_of("1970-01-02 00:00:01") == 86401);
}

TEST_CASE("a season is where a series is most like itself", "[forecast]") {
  std::mt19937 drawn(1);
  const auto noise = [&] { return static_cast<double>(drawn() % 2001) / 1000 - 1; };
  auto x = xt::xtensor<double, 2>::from_shape({480, 1});
  const auto season_with = [&](auto value) {
    for (std::size_t i = 0; i < 480; ++i) x(i, 0) = value(i);
    return season_of(x, 480);
  };
  CHECK(season_with(
            [&](std::size_t i) { return wave(i, 24) + 0.3 * noise() + 0.1 * static_cast<double>(i); }) == 24);
  CHECK(season_with([&](std::size_t i) { return (i % 7 < 5 ? 3.0 : 0.0) + noise(); }) % 7 == 0);
  CHECK(season_with([](std::size_t i) { return static_cast<double>(i); }) == 0);
  CHECK(season_with([](std::size_t) { return 4.0; }) == 0);
}

TEST_CASE("parts follow one another in time, and errors are in the series' own units", "[forecast]") {
  const parts p = split(1000, 0.1, 0.2, 96, 24, "f");
  CHECK(p.learned == 700);
  CHECK(p.to_learn().first == 96);
  CHECK(p.to_learn().first + p.to_learn().count + 24 - 1 == 700);
  CHECK(p.to_choose().first == 700);
  CHECK(p.to_test().first == 800);
  CHECK(p.to_test().first + p.to_test().count + 24 - 1 == 1000);
  const xt::xtensor<double, 2> two{{1, 10}, {3, 10.5}, {100, 0}};
  const scales s = scales_of(two, 2, {"a", "b"});
  CHECK(s.mean == std::vector<double>{2, 10.25});
  CHECK(s.deviation == std::vector<double>{1, 0.25});

  errors network("PatchTST", 2, 2), other("other", 2, 2);
  network.forecasts = other.forecasts = 1;
  network.add(0, 0, 1), network.add(0, 1, -3), network.add(1, 1, 2);
  for (const std::size_t c : {0u, 1u})
    for (const std::size_t step : {0u, 1u}) other.add(c, step, 1);
  const knowledge known{
      .horizon = 2, .columns = {"a", "b"}, .mean = {0, 0}, .deviation = {10, 0.5}, .error = {}};
  const training::facts facts = facts_of({network, other}, known);
  REQUIRE(facts.size() == 7);
  CHECK(facts[0] ==
        std::pair<std::string, std::string>("test, normalised, PatchTST", "3.5000 squared, 1.5000 absolute"));
  CHECK(facts[2] == std::pair<std::string, std::string>("test, a, PatchTST", "500 squared, 20 absolute"));
  CHECK(facts[4] == std::pair<std::string, std::string>("test, b, PatchTST", "0.5 squared, 0.5 absolute"));
  CHECK(facts[6].second == "3.50 times that of other, which forecasts better");
  CHECK(errors_ahead(network, known.deviation) == std::vector<std::vector<double>>{{10, 30}, {0, 1}});
}

TEST_CASE("a forecast is drawn with its errors", "[forecast]") {
  const temporary_folder folder;
  const fs::path file = folder / "drawn.svg";
  picture::forecast shown{.time_name = "day", .times = {"1", "2", "3", "4"}, .columns = {}};
  CHECK_THAT(message_of<fovea::error>([&] { picture::save(shown, file); }),
             Catch::Contains("there is no series to draw"));
  shown.columns = {{.name = "x", .history = {1, 2}, .forecast = {3, 4}, .truth = {}, .typical_error = {}}};
  picture::save(shown, file);
  const std::size_t plain = content(file).size();
  shown.columns[0].truth = {3, 5};
  shown.columns[0].typical_error = {0.5, 1};
  picture::save(shown, file);
  CHECK(content(file).size() > plain);
}
