#pragma once

#include <fovea/backends/simd/kernels/attention.hpp>
#include <fovea/backends/simd/kernels/attention_gradient.hpp>
#include <fovea/backends/simd/kernels/bfloat_dot.hpp>
#include <fovea/backends/simd/kernels/bfloat_values.hpp>
#include <fovea/backends/simd/kernels/byte_dot.hpp>
#include <fovea/backends/simd/kernels/convolution.hpp>
#include <fovea/backends/simd/kernels/cross_entropy.hpp>
#include <fovea/backends/simd/kernels/cumsum.hpp>
#include <fovea/backends/simd/kernels/depthwise.hpp>
#include <fovea/backends/simd/kernels/fourier.hpp>
#include <fovea/backends/simd/kernels/gather.hpp>
#include <fovea/backends/simd/kernels/kept_values.hpp>
#include <fovea/backends/simd/kernels/limits.hpp>
#include <fovea/backends/simd/kernels/norm.hpp>
#include <fovea/backends/simd/kernels/norm_gradient.hpp>
#include <fovea/backends/simd/kernels/optimizer.hpp>
#include <fovea/backends/simd/kernels/pack.hpp>
#include <fovea/backends/simd/kernels/pool.hpp>
#include <fovea/backends/simd/kernels/product.hpp>
#include <fovea/backends/simd/kernels/reduce.hpp>
#include <fovea/backends/simd/kernels/rounded_attention.hpp>
#include <fovea/backends/simd/kernels/rounded_product.hpp>
#include <fovea/backends/simd/kernels/small_convolution.hpp>
#include <fovea/backends/simd/kernels/small_product.hpp>
#include <fovea/backends/simd/kernels/softmax.hpp>
#include <fovea/backends/simd/kernels/table.hpp>
#include <fovea/backends/simd/kernels/turn.hpp>
#include <fovea/backends/simd/kernels/turned_product.hpp>
#include <fovea/backends/simd/kernels/winograd.hpp>
#include <fovea/backends/simd/kernels/winograd_time.hpp>
#include <fovea/backends/simd/sets/contract.hpp>

namespace fovea::core::simd {

/// Every kernel, compiled for one instruction set.
template <instruction_set Arch>
struct kernels_of_set {
private:
  using k = kernel_name;
  template <kernel_name name>
  using of = kernel_type<name>;

public:
  static constexpr of<k::pack> pack{simd::pack_tasks<Arch>, simd::pack<Arch>};
  static constexpr of<k::product> product{simd::product_tasks<Arch>,
                                          simd::product<Arch, detail::product_of::rows>};
  static constexpr of<k::small_product> small_product{simd::small_product_tasks<Arch>,
                                                      simd::small_product<Arch>};
  static constexpr of<k::decoded_product> decoded_product{simd::product_tasks<Arch>,
                                                          simd::product<Arch, detail::product_of::formats>};
  static constexpr of<k::decoded_k_product> decoded_k_product{
      simd::product_tasks<Arch>, simd::product<Arch, detail::product_of::k_formats>};
  static constexpr of<k::integer_product> integer_product = rounded_product_of<Arch, detail::byte_dots<Arch>>;
  static constexpr of<k::integer_k_product> integer_k_product =
      rounded_product_of<Arch, detail::k_byte_dots<Arch>>;
  static constexpr of<k::bf16_product> bf16_product = rounded_product_of<Arch, detail::bfloat_dots<Arch>>;
  static constexpr of<k::pack_bfloats> pack_bfloats{simd::pack_bfloats_tasks<Arch>, simd::pack_bfloats<Arch>};
  static constexpr of<k::round_bfloats> round_bfloats{simd::round_bfloats_tasks, simd::round_bfloats<Arch>};
  static constexpr of<k::turned_product> turned_product{
      simd::turned_product_tasks<Arch>, simd::turned_product_scratch<Arch>, simd::turned_product<Arch>};
  static constexpr of<k::turn> turn{simd::turn_tasks<Arch>, simd::turn<Arch>};
  static constexpr of<k::gather> gather{simd::gather_tasks<Arch>, simd::gather<Arch, false>};
  static constexpr of<k::gather_in_format> gather_in_format{simd::gather_tasks<Arch>,
                                                            simd::gather<Arch, true>};
  static constexpr of<k::gather_in_k_format> gather_in_k_format{simd::gather_tasks<Arch>,
                                                                simd::gather<Arch, true, true>};
  static constexpr of<k::attention> attention{simd::attention_tasks<Arch>, simd::attention_scratch<Arch>,
                                              attention_shared, simd::attention<Arch>,
                                              simd::join_attention<Arch>};
  static constexpr of<k::rounded_attention> rounded_attention = rounded_attention_of<Arch>;
  static constexpr of<k::attention_gradient> attention_gradient{simd::attention_gradient<Arch>};
  static constexpr of<k::layer_norm> layer_norm{simd::norm_tasks<Arch>, simd::layer_norm<Arch>};
  static constexpr of<k::rms_norm> rms_norm{simd::norm_tasks<Arch>, simd::rms_norm<Arch>};
  static constexpr of<k::layer_norm_gradient> layer_norm_gradient{simd::norm_gradient_tasks<Arch>,
                                                                  simd::norm_gradient<Arch, true>};
  static constexpr of<k::rms_norm_gradient> rms_norm_gradient{simd::norm_gradient_tasks<Arch>,
                                                              simd::norm_gradient<Arch, false>};
  static constexpr of<k::softmax> softmax{simd::softmax_tasks<Arch>, simd::softmax<Arch>};
  static constexpr of<k::log_softmax> log_softmax{simd::softmax_tasks<Arch>, simd::log_softmax<Arch>};
  static constexpr of<k::cross_entropy> cross_entropy{simd::cross_entropy_tasks<Arch>,
                                                      simd::cross_entropy<Arch>};
  static constexpr of<k::cross_entropy_gradient> cross_entropy_gradient{simd::cross_entropy_tasks<Arch>,
                                                                        simd::cross_entropy_gradient<Arch>};
  static constexpr of<k::reduce> reduce{simd::reduce_tasks<Arch>, simd::reduce<Arch>};
  static constexpr of<k::cumsum> cumsum{simd::reduce_tasks<Arch>, simd::cumsum<Arch>};
  static constexpr of<k::convolution> convolution{simd::convolution_tasks<Arch>,
                                                  simd::convolution_scratch<Arch>, simd::convolution<Arch>,
                                                  simd::convolution_panels<Arch>};
  static constexpr of<k::small_convolution> small_convolution{simd::small_convolution_tasks<Arch>,
                                                              simd::small_convolution_scratch<Arch>,
                                                              simd::small_convolution<Arch>};
  static constexpr of<k::winograd_convolution> winograd_convolution{
      simd::winograd_tasks<Arch>, simd::winograd_scratch<Arch>, simd::winograd_convolution<Arch>,
      simd::convolution_panels<Arch>};
  static constexpr of<k::winograd_time_convolution> winograd_time_convolution{
      simd::winograd_time_tasks<Arch>, simd::winograd_time_scratch<Arch>,
      simd::winograd_time_convolution<Arch>, simd::convolution_panels<Arch>};
  static constexpr of<k::depthwise_convolution> depthwise_convolution{
      simd::depthwise_tasks<Arch>, simd::depthwise_scratch<Arch>, simd::depthwise<Arch>};
  static constexpr of<k::pool> pool{simd::pool_tasks<Arch>, simd::pool<Arch>};
  static constexpr of<k::stft> stft{simd::stft_tasks<Arch>, simd::frame_scratch<Arch>, simd::stft<Arch>};
  static constexpr of<k::stft_transposed> stft_transposed{
      simd::stft_transposed_tasks<Arch>, simd::frame_scratch<Arch>, simd::stft_transposed<Arch>};
  static constexpr of<k::keep> keep{simd::keep_tasks<Arch>, simd::keep<Arch>};
  static constexpr of<k::update> update{simd::update<Arch>};
  static constexpr of<k::limits> limits{simd::limit_multiply_adds<Arch>, limit_chains* width<Arch>,
                                        simd::limit_reads<Arch>};
};

} // namespace fovea::core::simd
