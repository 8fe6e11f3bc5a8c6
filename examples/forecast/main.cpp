// Forecasts what comes after a series, by a network that train_forecast trained.

#include "drawing.hpp"
#include "forecaster.hpp"
#include "series_file.hpp"

#include <picture/canvas.hpp>
#include <program/program.hpp>
#include <program/text.hpp>

#include <fovea/base/error.hpp>
#include <fovea/weights/temporary_file.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace forecast_program;

struct arguments {
  std::filesystem::path folder, out, picture;
  std::string series;
};

void declare(CLI::App& app, arguments& a) {
  app.add_option("SERIES", a.series, "A file with the columns that were learned; its last steps are read")
      ->required();
  app.add_option("FOLDER", a.folder, "What train_forecast wrote")->required();
  app.add_option("--out", a.out, "A file for the forecast; the standard output without it");
  app.add_option("--picture", a.picture, "Draw history and forecast to this .svg or .png");
}

/// A cell as RFC 4180 has it.
std::string cell_of(const std::string& text) {
  if (text.find_first_of(",\"\n\t;") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string table_of(const series& s, const std::vector<std::string>& times,
                     const xt::xtensor<double, 2>& next) {
  std::string text = s.time_name.empty() ? "step" : cell_of(s.time_name);
  for (const std::string& name : s.names) text += "," + cell_of(name);
  text += "\n";
  for (std::size_t i = 0; i < times.size(); ++i) {
    text += cell_of(times[i]);
    for (std::size_t c = 0; c < s.columns(); ++c) text += fmt::format(",{}", static_cast<float>(next(i, c)));
    text += "\n";
  }
  return text;
}

void run(const arguments& a) {
  if (!a.picture.empty()) picture::expect_ending(a.picture);
  forecaster network(a.folder);
  const series s = read_series(a.series, network.known().columns);
  if (s.steps() < network.context())
    throw fovea::error(fmt::format("{}: expected at least {} steps, which the network reads; found {}",
                                   a.series, network.context(), s.steps()));
  const xt::xtensor<double, 2> next = network.from(s.values, s.steps());
  const std::vector<std::string> times = times_ahead(s, network.horizon());
  const std::string text = table_of(s, times, next);
  if (a.out.empty()) {
    program::print(text);
  } else {
    fovea::core::temporary_file to(a.out);
    to.write(std::as_bytes(std::span(text)));
    to.commit();
  }
  if (!s.times.empty() && times[0].starts_with('+'))
    program::notice("forecast",
                    fmt::format("{}: its times are not known to be evenly apart: the forecast's are "
                                "numbers of steps",
                                a.series));
  if (!a.picture.empty())
    picture::save(drawing_of(s, s.steps(), next, network.context(), network.known()), a.picture);
}

} // namespace

int main(int count, char** words) {
  return program::run<arguments>("forecast", "Forecasts what comes after a series.", count, words, declare,
                                 run);
}
