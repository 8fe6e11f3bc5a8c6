#pragma once

// The contract between the lowering and the kernels. Units compiled for a set include nothing that allocates or
// throws (see isa/README there).
//
// `tasks` says how many independent tasks a call has, and the kernel runs a half-open range of them. Any split gives the
// same bits: sums are split by shape alone, and what else many threads share in smaller tasks has them in the same order.

#include <cstddef>
#include <cstdint>

#include <fovea/backends/optimizer.hpp>
#include <fovea/backends/simd/kernels/arguments.hpp>

namespace fovea::core::simd {

/// A kernel: how many tasks a call has, and what runs tasks first <= i < last.
template <class args>
struct kernel {
  size_t (*tasks)(const args&);
  void (*run)(const args&, size_t first, size_t last);
};

/// One that needs memory: `scratch` floats for each thread, 64-byte aligned (0: none needed), as many as the
/// sizes need that are given, and all smaller ones of what is counted at run time. `neighbours` is task_order::together, of
/// which the tasks are a multiple; null: 1.
template <class args>
struct scratch_kernel {
  size_t (*tasks)(const args&);
  size_t (*scratch)(const args&);
  void (*run)(const args&, size_t first, size_t last, float* scratch);
  size_t (*neighbours)(const args&) = nullptr;

  size_t together(const args& told) const { return neighbours == nullptr ? 1 : neighbours(told); }
};

/// One whose work is not shared.
template <class args>
struct single_kernel {
  void (*run)(const args&);
};

/// Products that round the rows of their left side (weight_format.hpp), in two passes: first all rows are
/// rounded, to `rounded`, 64-byte aligned memory of `scratch` floats; then come the products. Parts are of
/// one format.
struct rounding_passes {
  bool (*are_faster)(const product_args&); // than tasks that round the rows they need
  size_t (*scratch)(const product_args&);  // of these sizes, and of all with fewer rows
  size_t (*round_tasks)(const product_args&);
  void (*round)(const product_args&, size_t first, size_t last, float* rounded);
  size_t (*product_tasks)(const product_args&);
  void (*product)(const product_args&, size_t first, size_t last, float* rounded);
};

/// The same by tasks that round the rows they need, and in passes: by tiles where the processor has such registers.
/// `in_float32` where bfloat16 is multiplied by float32's instructions alone.
struct rounding_kernel {
  size_t (*tasks)(const product_args&);
  void (*run)(const product_args&, size_t first, size_t last);
  const rounding_passes* passes = nullptr;
  bool in_float32 = false;
};

struct attention_kernel {
  size_t (*tasks)(const attention_args&);
  size_t (*scratch)(const attention_args&);
  size_t (*shared)(const attention_args&); // floats of attention_args::shared, of these sizes and all smaller
  void (*run)(const attention_args&, size_t first, size_t last, float* scratch);
  void (*join)(const attention_args&); // when all tasks have run
};

/// Attention that rounds keys and values: its tasks do, or where `round_tasks` are not none these have done it before,
/// for all of them, to attention_args::shared.
struct rounded_attention_kernel {
  size_t (*tasks)(const attention_args&);
  size_t (*scratch)(const attention_args&); // of either kind of task
  size_t (*shared)(const attention_args&); // floats of attention_args::shared, of these sizes and all smaller
  size_t (*round_tasks)(const attention_args&);
  void (*round)(const attention_args&, size_t first, size_t last, float* scratch);
  void (*run)(const attention_args&, size_t first, size_t last, float* scratch);
};

/// What the processor can do at best (limits.hpp).
struct limits_kernel {
  float (*run)(size_t steps); // multiplies and adds
  size_t floats_a_step;
  float (*read)(const float* from, size_t count);
};

/// Every kernel: each(name, type).
///   product          of weights in float32, rows one behind the other
///   small_product    the same, to the bit, of weights that the first-level cache holds
///   decoded_product  of those, and of all formats that round no rows
///   integer_product, bf16_product  of parts of one format whose products round the rows
///   pack_bfloats, round_bfloats  of what learns in bf16_products
///   decoded_k_product, integer_k_product, gather_in_k_format  the same of formats in K blocks, which may differ
///                    from part to part: a program links these where it names one
///   rounded_attention  of many queries by integers of 16 bits; all null in sets where float32 is as fast
///   small_convolution  over time, of one group, of weights that the first-level cache holds and windows that
///                      all lie inside
///   winograd_convolution  of planes by square filters, a tile of windows at a time
///   winograd_time_convolution  the same over time
// clang-format off
#define FOVEA_KERNELS(each) \
  each(pack, kernel<pack_args>) \
  each(product, kernel<product_args>) \
  each(small_product, kernel<product_args>) \
  each(decoded_product, kernel<product_args>) \
  each(decoded_k_product, kernel<product_args>) \
  each(integer_product, rounding_kernel) \
  each(integer_k_product, rounding_kernel) \
  each(bf16_product, rounding_kernel) \
  each(pack_bfloats, kernel<bfloat_pack_args>) \
  each(round_bfloats, kernel<bfloat_round_args>) \
  each(turned_product, scratch_kernel<turned_product_args>) \
  each(turn, kernel<turn_args>) \
  each(gather, kernel<gather_args>) \
  each(gather_in_format, kernel<gather_args>) \
  each(gather_in_k_format, kernel<gather_args>) \
  each(attention, attention_kernel) \
  each(rounded_attention, rounded_attention_kernel) \
  each(attention_gradient, single_kernel<attention_gradient_args>) \
  each(layer_norm, kernel<norm_args>) \
  each(rms_norm, kernel<norm_args>) \
  each(layer_norm_gradient, kernel<norm_gradient_args>) \
  each(rms_norm_gradient, kernel<norm_gradient_args>) \
  each(softmax, kernel<softmax_args>) \
  each(log_softmax, kernel<softmax_args>) \
  each(cross_entropy, kernel<cross_entropy_args>) \
  each(cross_entropy_gradient, kernel<cross_entropy_args>) \
  each(reduce, kernel<reduce_args>) \
  each(cumsum, kernel<reduce_args>) \
  each(convolution, scratch_kernel<convolution_args>) \
  each(small_convolution, scratch_kernel<convolution_args>) \
  each(winograd_convolution, scratch_kernel<convolution_args>) \
  each(winograd_time_convolution, scratch_kernel<convolution_args>) \
  each(depthwise_convolution, scratch_kernel<convolution_args>) \
  each(pool, kernel<pool_args>) \
  each(stft, scratch_kernel<frame_args>) \
  each(stft_transposed, scratch_kernel<frame_args>) \
  each(keep, kernel<keep_args>) \
  each(update, single_kernel<fovea::core::optimizer_args>) \
  each(limits, limits_kernel)
// clang-format on

enum class kernel_name : std::uint8_t {
#define FOVEA_NAME(name, type) name,
  FOVEA_KERNELS(FOVEA_NAME)
#undef FOVEA_NAME
};

namespace detail {
template <kernel_name>
struct kernel_type;
#define FOVEA_TYPE(name, its_type)                                                                           \
  template <>                                                                                                \
  struct kernel_type<kernel_name::name> {                                                                    \
    using type = its_type;                                                                                   \
  };
FOVEA_KERNELS(FOVEA_TYPE)
#undef FOVEA_TYPE
} // namespace detail

template <kernel_name name>
using kernel_type = typename detail::kernel_type<name>::type;

/// Names of kernels.
struct kernel_names {
  std::uint64_t bits = 0;

  constexpr kernel_names() = default;
  template <class... more>
  constexpr kernel_names(kernel_name first, more... others)
      : bits(bit(first) | (std::uint64_t{0} | ... | bit(others))) {}
  constexpr bool has(kernel_name name) const { return (bits & bit(name)) != 0; }
  constexpr kernel_names without(kernel_name name) const {
    kernel_names others = *this;
    others.bits &= ~bit(name);
    return others;
  }
  constexpr kernel_names& operator|=(kernel_names others) {
    bits |= others.bits;
    return *this;
  }

private:
  static constexpr std::uint64_t bit(kernel_name name) {
    return std::uint64_t{1} << static_cast<unsigned>(name);
  }
};

/// An instruction set as the lowering sees it.
struct set_sizes {
  const char* name; // "baseline", "avx2", ...
  size_t vector;    // floats in a vector
  size_t panel;     // columns in a packed panel
};

/// The kernels of an instruction set that a model needs; the others are null.
struct kernel_table {
  set_sizes set;
#define FOVEA_MEMBER(name, type) const type* name = nullptr;
  FOVEA_KERNELS(FOVEA_MEMBER)
#undef FOVEA_MEMBER
};

} // namespace fovea::core::simd
