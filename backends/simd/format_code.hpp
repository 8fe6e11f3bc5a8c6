#pragma once

#include <fovea/backends/simd/isa/dispatch.hpp>
#include <fovea/backends/simd/kernels/table.hpp>
#include <fovea/weights/format_panels.hpp>

namespace fovea::core::simd {

/// What weights in a format need beside the kernels of a model.
struct format_code {
  void (*add_kernels)(kernel_table&); // of products by them, and of tables
  decltype(&in_format_panels) pack;
};

/// The kernels of some sets, which the program links; of all where none is named.
template <weight_format format, set_name... sets>
void add_kernels_of(kernel_table& to) {
  const char* set = to.set.name;
  to.gather_in_format = &kernel_among<kernel_name::gather_in_format, sets...>(set);
  if constexpr (sums_integers(format))
    to.integer_product = &kernel_among<kernel_name::integer_product, sets...>(set);
  else if constexpr (rounds_rows(format))
    to.bf16_product = &kernel_among<kernel_name::bf16_product, sets...>(set);
  else
    to.decoded_product = &kernel_among<kernel_name::decoded_product, sets...>(set);
}

template <weight_format format, set_name... sets>
inline constexpr format_code code_of_format{add_kernels_of<format, sets...>, in_format_panels};

} // namespace fovea::core::simd
