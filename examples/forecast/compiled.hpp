#pragma once

#include "network.hpp"
#include "networks.hpp"

#include <fovea/fovea.hpp>

#include <algorithm>
#include <utility>

namespace forecast_program {

template <fovea::models::patchtst_config sizes>
auto compiled_net(const fovea::model_weights& weights, call_sizes most) {
  return fovea::compile(fovea::models::patchtst<sizes>, weights,
                        {.capacity = {{"B", static_cast<std::int64_t>(most.rows)},
                                      {"C", static_cast<std::int64_t>(most.columns)}},
                         .threads = most.threads});
}

/// The network of one configuration.
template <fovea::models::patchtst_config sizes>
class compiled_network final : public network {
public:
  compiled_network(const fovea::model_weights& weights, call_sizes most)
      : net_(compiled_net<sizes>(weights, most)) {}

  xt::xtensor<float, 3> forecast(const xt::xtensor<float, 3>& past) override {
    using namespace fovea;
    auto made =
        xt::xtensor<float, 3>::from_shape({past.shape()[0], std::size_t{sizes.horizon}, past.shape()[2]});
    const auto out = net_("past"_in = past);
    std::copy_n(&out["forecast"_out](0, 0, 0), made.size(), made.begin());
    return made;
  }

private:
  decltype(compiled_net<sizes>(std::declval<const fovea::model_weights&>(), {})) net_;
};

} // namespace forecast_program
