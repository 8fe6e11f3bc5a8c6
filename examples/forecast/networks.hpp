#pragma once

#include <fovea/backends/xtensor.hpp>
#include <fovea/weights/weights.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>

namespace forecast_program {

/// A network that forecasts, whatever its sizes.
class network {
public:
  virtual ~network() = default;
  /// past [rows, context, columns] -> [rows, horizon, columns].
  virtual xt::xtensor<float, 3> forecast(const xt::xtensor<float, 3>& past) = 0;
};

/// What a network is called with at most, and by how many threads.
struct call_sizes {
  std::size_t rows = 1, columns = 1;
  int threads = 1;
};

/// Each in a source file of its own. Throws fovea::error where the weights do not fit.
std::unique_ptr<network> open_short_range(const fovea::model_weights& weights, call_sizes most);
std::unique_ptr<network> open_long_range(const fovea::model_weights& weights, call_sizes most);

/// A network that the program is compiled for.
struct known_network {
  int horizon, context;
  std::unique_ptr<network> (*open)(const fovea::model_weights&, call_sizes);
};
extern const std::array<known_network, 2> known_networks;

/// The network of a horizon. Throws fovea::error, which begins with `where`, for a horizon that no network has.
const known_network& network_of(int horizon, std::string_view where);

} // namespace forecast_program
