#pragma once

#include <cstdint>

#include <fovea/dsl/model.hpp>
#include <fovea/dsl/passes/passes.hpp>

namespace fovea::core::detail {

/// A graph that a pass made of a declaration, behind the interface of a model.
template <class made>
struct derived_model {
  static constexpr const char* call = made::call;
  static constexpr auto image = image_of<made>();
  static constexpr graph_view view = image.view();
  using lowered = lowering<derived_model>;
  static constexpr std::int64_t parameters() {
    constexpr std::int64_t count = count_parameters(view);
    return count;
  }
};

} // namespace fovea::core::detail
