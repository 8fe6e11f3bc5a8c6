#pragma once

#include <fovea/backends/xtensor.hpp>
#include <fovea/fovea.hpp>

namespace fovea::programs {

/// A step of a stream of M by ids [rows, n], of target in an encoder-decoder, else of tokens, whose types are 0: logits.
template <class M>
struct step_of_tokens {
  auto operator()(auto& stream, const auto& ids) const {
    if constexpr (M::has_input("target")) {
      return stream.step("target"_in = ids)["logits"_out];
    } else if constexpr (M::has_input("types")) {
      const xt::xtensor<int, 2> types = xt::zeros<int>(ids.shape());
      return stream.step("tokens"_in = ids, "types"_in = types)["logits"_out];
    } else {
      return stream.step("tokens"_in = ids)["logits"_out];
    }
  }
};

} // namespace fovea::programs
