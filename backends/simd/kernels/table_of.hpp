#pragma once

#include <fovea/backends/simd/kernels/attention.hpp>
#include <fovea/backends/simd/kernels/attention_gradient.hpp>
#include <fovea/backends/simd/kernels/bfloat_dot.hpp>
#include <fovea/backends/simd/kernels/byte_dot.hpp>
#include <fovea/backends/simd/kernels/convolution.hpp>
#include <fovea/backends/simd/kernels/cross_entropy.hpp>
#include <fovea/backends/simd/kernels/gather.hpp>
#include <fovea/backends/simd/kernels/norm.hpp>
#include <fovea/backends/simd/kernels/norm_gradient.hpp>
#include <fovea/backends/simd/kernels/optimizer.hpp>
#include <fovea/backends/simd/kernels/pack.hpp>
#include <fovea/backends/simd/kernels/pool.hpp>
#include <fovea/backends/simd/kernels/product.hpp>
#include <fovea/backends/simd/kernels/reduce.hpp>
#include <fovea/backends/simd/kernels/rounded_product.hpp>
#include <fovea/backends/simd/kernels/softmax.hpp>
#include <fovea/backends/simd/kernels/table.hpp>
#include <fovea/backends/simd/kernels/turn.hpp>
#include <fovea/backends/simd/kernels/turned_product.hpp>
#include <fovea/backends/simd/sets/contract.hpp>

namespace fovea::core::simd {

/// Every kernel, compiled for one instruction set.
template <instruction_set Arch>
constexpr kernel_table table_of(const char* instruction_set) {
  return {
      .instruction_set = instruction_set,
      .vector = width<Arch>,
      .panel = panel<Arch>,
      .pack_tasks = pack_tasks<Arch>,
      .pack = pack<Arch>,
      .product_tasks = product_tasks<Arch>,
      .product = product<Arch>,
      .decoded_product_tasks = product_tasks<Arch>,
      .decoded_product = product<Arch>,
      .rounded_product_tasks = rounded_product_tasks<Arch>,
      .integer_product = rounded_product<Arch, detail::byte_dots<Arch>>,
      .bf16_product = rounded_product<Arch, detail::bfloat_dots<Arch>>,
      .turned_product_tasks = turned_product_tasks<Arch>,
      .turned_product_scratch = turned_product_scratch<Arch>,
      .turned_product = turned_product<Arch>,
      .turn_tasks = turn_tasks<Arch>,
      .turn = turn<Arch>,
      .gather_tasks = gather_tasks<Arch>,
      .gather = gather<Arch>,
      .attention_tasks = attention_tasks<Arch>,
      .attention_scratch = attention_scratch<Arch>,
      .attention_shared = attention_shared,
      .attention = attention<Arch>,
      .join_attention = join_attention<Arch>,
      .attention_gradient = attention_gradient<Arch>,
      .norm_tasks = norm_tasks<Arch>,
      .layer_norm = layer_norm<Arch>,
      .rms_norm = rms_norm<Arch>,
      .norm_gradient_tasks = norm_gradient_tasks<Arch>,
      .layer_norm_gradient = norm_gradient<Arch, true>,
      .rms_norm_gradient = norm_gradient<Arch, false>,
      .softmax_tasks = softmax_tasks<Arch>,
      .softmax = softmax<Arch>,
      .log_softmax = log_softmax<Arch>,
      .cross_entropy_tasks = cross_entropy_tasks<Arch>,
      .cross_entropy = cross_entropy<Arch>,
      .cross_entropy_gradient = cross_entropy_gradient<Arch>,
      .reduce_tasks = reduce_tasks<Arch>,
      .reduce = reduce<Arch>,
      .convolution_tasks = convolution_tasks<Arch>,
      .convolution_scratch = convolution_scratch<Arch>,
      .convolution = convolution<Arch>,
      .pool_tasks = pool_tasks<Arch>,
      .pool = pool<Arch>,
      .update = update<Arch>,
  };
}

} // namespace fovea::core::simd
