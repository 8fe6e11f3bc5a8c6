#pragma once

#include "networks.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace forecast_program {

/// What a folder of train_forecast says beside its weights.
struct knowledge {
  int horizon = 0;
  std::vector<std::string> columns;
  std::vector<double> mean, deviation; // of each column, in the part that was learned from
  std::vector<std::vector<double>>
      error; // of each column and step ahead: the root of the mean squared error in
             // the test part, in the series' own units
};

/// Throws fovea::error that names the file where it is missing or not such a one.
knowledge read_knowledge(const std::filesystem::path& folder);
void write_knowledge(const std::filesystem::path& folder, const knowledge& k);

/// A network with the scale that it has learned at.
class forecaster {
public:
  /// Of what a folder of train_forecast holds. Throws fovea::error where it does not fit.
  explicit forecaster(const std::filesystem::path& folder);
  /// Of a network's weights: `rows` forecasts at once at most.
  forecaster(knowledge known, const fovea::model_weights& weights, std::size_t rows, int threads);

  const knowledge& known() const { return known_; }
  std::size_t horizon() const { return static_cast<std::size_t>(known_.horizon); }
  std::size_t context() const { return context_; }
  /// A forecast of scaled values: past [rows, context, columns] -> [rows, horizon, columns].
  xt::xtensor<float, 3> forecast(const xt::xtensor<float, 3>& past) { return network_->forecast(past); }
  /// The steps of a series [steps, columns] from `begin` on, by those before, which are as many as the network reads at
  /// least: [horizon, columns], in its own units.
  xt::xtensor<double, 2> from(const xt::xtensor<double, 2>& values, std::size_t begin);

private:
  knowledge known_;
  std::size_t context_ = 0;
  std::unique_ptr<network> network_;
};

/// Values [steps, columns], each column less its mean, over its deviation.
xt::xtensor<float, 2> scaled(const xt::xtensor<double, 2>& values, const std::vector<double>& mean,
                             const std::vector<double>& deviation);

} // namespace forecast_program
