#include "forecaster.hpp"

#include <trained/folder.hpp>

#include <fovea/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace forecast_program {
namespace {

constexpr const char *knowledge_name = "forecast.json", *weights_name = "weights.safetensors";

std::filesystem::path file_in(const std::filesystem::path& folder, const char* name) {
  if (!std::filesystem::is_regular_file(folder / name))
    throw fovea::error((folder / name).string() + ": no such file; train_forecast writes it");
  return folder / name;
}

} // namespace

knowledge read_knowledge(const std::filesystem::path& folder) {
  const std::filesystem::path file = file_in(folder, knowledge_name);
  const nlohmann::json all = trained::read_json(file);
  knowledge made;
  try {
    all.at("horizon").get_to(made.horizon);
    all.at("columns").get_to(made.columns);
    all.at("mean").get_to(made.mean);
    all.at("deviation").get_to(made.deviation);
    all.at("error").get_to(made.error);
  } catch (const nlohmann::json::exception&) {
    throw fovea::error(file.string() +
                       ": expected what train_forecast writes: horizon, columns, mean, deviation "
                       "and error");
  }
  network_of(made.horizon, file.string());
  const std::size_t columns = made.columns.size();
  const bool fits = columns > 0 && made.mean.size() == columns && made.deviation.size() == columns &&
                    made.error.size() == columns &&
                    std::ranges::all_of(made.deviation, [](double d) { return d > 0; }) &&
                    std::ranges::all_of(made.error, [&](const auto& of_column) {
                      return of_column.size() == static_cast<std::size_t>(made.horizon);
                    });
  if (!fits)
    throw fovea::error(file.string() +
                       ": expected a mean, a deviation above 0 and the errors of each of its columns");
  return made;
}

void write_knowledge(const std::filesystem::path& folder, const knowledge& k) {
  trained::write_json(folder / knowledge_name, {{"horizon", k.horizon},
                                                {"columns", k.columns},
                                                {"mean", k.mean},
                                                {"deviation", k.deviation},
                                                {"error", k.error}});
}

forecaster::forecaster(const std::filesystem::path& folder) // braces: what the folder says is read first
    : forecaster{read_knowledge(folder), fovea::load_weights(file_in(folder, weights_name), {.copy = true}),
                 1, 1} {}

forecaster::forecaster(knowledge known, const fovea::model_weights& weights, std::size_t rows, int threads)
    : known_(std::move(known)) {
  const known_network& shape = network_of(known_.horizon, "a forecaster");
  context_ = static_cast<std::size_t>(shape.context);
  network_ = shape.open(weights, {.rows = rows, .columns = known_.columns.size(), .threads = threads});
}

xt::xtensor<double, 2> forecaster::from(const xt::xtensor<double, 2>& values, std::size_t begin) {
  const std::size_t columns = values.shape()[1];
  const xt::xtensor<float, 2> all = scaled(values, known_.mean, known_.deviation);
  auto past = xt::xtensor<float, 3>::from_shape({1, context_, columns});
  std::copy_n(&all(begin - context_, 0), past.size(), past.begin());
  const xt::xtensor<float, 3> next = forecast(past);
  auto made = xt::xtensor<double, 2>::from_shape({horizon(), columns});
  for (std::size_t i = 0; i < horizon(); ++i)
    for (std::size_t c = 0; c < columns; ++c)
      made(i, c) = known_.mean[c] + known_.deviation[c] * static_cast<double>(next(0, i, c));
  return made;
}

xt::xtensor<float, 2> scaled(const xt::xtensor<double, 2>& values, const std::vector<double>& mean,
                             const std::vector<double>& deviation) {
  auto made = xt::xtensor<float, 2>::from_shape(values.shape());
  for (std::size_t i = 0; i < values.shape()[0]; ++i)
    for (std::size_t c = 0; c < values.shape()[1]; ++c)
      made(i, c) = static_cast<float>((values(i, c) - mean[c]) / deviation[c]);
  return made;
}

} // namespace forecast_program
