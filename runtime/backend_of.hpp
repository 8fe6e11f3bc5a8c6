#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

#include <fovea/backends/backend.hpp>
#include <fovea/backends/reference/backend.hpp>
#include <fovea/backends/simd/backend.hpp>
#include <fovea/weights/weight_format.hpp>

namespace fovea::core {

/// The backend that `compile<named>` runs a model by: the kernels where a format of weights is named, else
/// the named one itself, `reference` or another that is written.
template <class named>
using backend_of = std::conditional_t<is_weight_format<named>, simd::backend, named>;

/// The generated code of a model, with what the format of weights that is named needs beside it.
template <class named, simd::set_name... sets, class code>
constexpr code in_format(const code& made) {
  if constexpr (is_weight_format<named>)
    return backend_of<named>::template in_format<format_named<named>, sets...>(made);
  else
    return made;
}

/// The generated code of a model that learns, or of what it is evaluated by.
template <class named, simd::set_name... sets, class code>
constexpr code learning_in(const code& made) {
  if constexpr (std::is_same_v<named, bf16_products>)
    return backend_of<named>::template learning_in_bfloat<sets...>(made);
  else
    return made;
}

/// Whether the processor has what a set of instructions asks for.
using simd::may_run;

/// How many columns a panel of weights has in a set that runs here.
inline std::size_t panel_of(std::string_view set) { return simd::set_named(set)->panel; }

} // namespace fovea::core
