#pragma once

#include <fovea/backends/simd/isa/dispatch.hpp>
#include <fovea/backends/simd/kernels/table.hpp>
#include <fovea/weights/format_panels.hpp>

namespace fovea::core::simd {

/// What weights in a format need beside the kernels of a model.
struct format_code {
  void (*add_kernels)(kernel_table&); // of products by them, of tables, and of attention beside them
  decltype(&in_format_panels) pack;
};

/// What multiplies by weights in a format, f32 aside, and what reads tables of it.
constexpr kernel_name product_kernel(weight_format format) {
  using k = kernel_name;
  if (sums_integers(format)) return is_k(format) ? k::integer_k_product : k::integer_product;
  if (rounds_rows(format)) return k::bf16_product;
  return is_k(format) ? k::decoded_k_product : k::decoded_product;
}
constexpr kernel_name gather_kernel(weight_format format) {
  return is_k(format) ? kernel_name::gather_in_k_format : kernel_name::gather_in_format;
}

/// The kernels of some sets, which the program links; of all where none is named.
template <weight_format format, set_name... sets>
void add_kernels_of(kernel_table& to) {
  const char* set = to.set.name;
  to.gather_in_format = &kernel_among<gather_kernel(format), sets...>(set);
  if constexpr (sums_integers(format))
    to.integer_product = &kernel_among<product_kernel(format), sets...>(set);
  else if constexpr (rounds_rows(format))
    to.bf16_product = &kernel_among<product_kernel(format), sets...>(set);
  else
    to.decoded_product = &kernel_among<product_kernel(format), sets...>(set);
  if constexpr (rounds_rows(format)) {
    const auto& rounding = kernel_among<kernel_name::rounded_attention, sets...>(set);
    if (rounding.run != nullptr) to.rounded_attention = &rounding;
  }
}

template <weight_format format, set_name... sets>
inline constexpr format_code code_of_format{add_kernels_of<format, sets...>,
                                            is_k(format) ? in_format_panels : in_format_panels_but_k};

/// The kernels of training in bf16_products, beside those of the model.
template <set_name... sets>
void add_training_kernels_of(kernel_table& to) {
  using k = kernel_name;
  const char* set = to.set.name;
  to.bf16_product = &kernel_among<k::bf16_product, sets...>(set);
  to.pack_bfloats = &kernel_among<k::pack_bfloats, sets...>(set);
  to.round_bfloats = &kernel_among<k::round_bfloats, sets...>(set);
  to.turn = &kernel_among<k::turn, sets...>(set);
  to.reduce = &kernel_among<k::reduce, sets...>(set);
}

template <set_name... sets>
inline constexpr format_code code_of_bfloat_training{add_training_kernels_of<sets...>, nullptr};

} // namespace fovea::core::simd
