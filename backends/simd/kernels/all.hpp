#pragma once

#include <fovea/backends/simd/kernels/attention.hpp>
#include <fovea/backends/simd/kernels/attention_gradient.hpp>
#include <fovea/backends/simd/kernels/bfloat_dot.hpp>
#include <fovea/backends/simd/kernels/byte_dot.hpp>
#include <fovea/backends/simd/kernels/convolution.hpp>
#include <fovea/backends/simd/kernels/cross_entropy.hpp>
#include <fovea/backends/simd/kernels/depthwise.hpp>
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

/// A kernel, compiled for one instruction set.
template <kernel_name name, instruction_set Arch>
inline constexpr kernel_type<name> kernel_of;

template <instruction_set Arch>
inline constexpr auto kernel_of<kernel_name::pack, Arch> =
    kernel_type<kernel_name::pack>{pack_tasks<Arch>, pack<Arch>};
template <instruction_set Arch>
inline constexpr auto kernel_of<kernel_name::product, Arch> =
    kernel_type<kernel_name::product>{product_tasks<Arch>, product<Arch, false>};
template <instruction_set Arch>
inline constexpr auto kernel_of<kernel_name::decoded_product, Arch> =
    kernel_type<kernel_name::decoded_product>{product_tasks<Arch>, product<Arch, true>};
template <instruction_set Arch>
inline constexpr auto kernel_of<kernel_name::integer_product, Arch> =
    kernel_type<kernel_name::integer_product>{rounded_product_tasks<Arch>,
                                              rounded_product<Arch, detail::byte_dots<Arch>>};
template <instruction_set Arch>
inline constexpr auto kernel_of<kernel_name::bf16_product, Arch> = kernel_type<kernel_name::bf16_product>{
    rounded_product_tasks<Arch>, rounded_product<Arch, detail::bfloat_dots<Arch>>};
template <instruction_set Arch>
inline constexpr auto kernel_of<kernel_name::turned_product, Arch> = kernel_type<kernel_name::turned_product>{
    turned_product_tasks<Arch>, turned_product_scratch<Arch>, turned_product<Arch>};
template <instruction_set Arch>
inline constexpr auto kernel_of<kernel_name::turn, Arch> =
    kernel_type<kernel_name::turn>{turn_tasks<Arch>, turn<Arch>};
template <instruction_set Arch>
inline constexpr auto kernel_of<kernel_name::gather, Arch> =
    kernel_type<kernel_name::gather>{gather_tasks<Arch>, gather<Arch, false>};
template <instruction_set Arch>
inline constexpr auto kernel_of<kernel_name::gather_in_format, Arch> =
    kernel_type<kernel_name::gather_in_format>{gather_tasks<Arch>, gather<Arch, true>};
template <instruction_set Arch>
inline constexpr auto kernel_of<kernel_name::attention, Arch> = kernel_type<kernel_name::attention>{
    attention_tasks<Arch>, attention_scratch<Arch>, attention_shared, attention<Arch>, join_attention<Arch>};
template <instruction_set Arch>
inline constexpr auto kernel_of<kernel_name::attention_gradient, Arch> =
    kernel_type<kernel_name::attention_gradient>{attention_gradient<Arch>};
template <instruction_set Arch>
inline constexpr auto kernel_of<kernel_name::layer_norm, Arch> =
    kernel_type<kernel_name::layer_norm>{norm_tasks<Arch>, layer_norm<Arch>};
template <instruction_set Arch>
inline constexpr auto kernel_of<kernel_name::rms_norm, Arch> =
    kernel_type<kernel_name::rms_norm>{norm_tasks<Arch>, rms_norm<Arch>};
template <instruction_set Arch>
inline constexpr auto kernel_of<kernel_name::layer_norm_gradient, Arch> =
    kernel_type<kernel_name::layer_norm_gradient>{norm_gradient_tasks<Arch>, norm_gradient<Arch, true>};
template <instruction_set Arch>
inline constexpr auto kernel_of<kernel_name::rms_norm_gradient, Arch> =
    kernel_type<kernel_name::rms_norm_gradient>{norm_gradient_tasks<Arch>, norm_gradient<Arch, false>};
template <instruction_set Arch>
inline constexpr auto kernel_of<kernel_name::softmax, Arch> =
    kernel_type<kernel_name::softmax>{softmax_tasks<Arch>, softmax<Arch>};
template <instruction_set Arch>
inline constexpr auto kernel_of<kernel_name::log_softmax, Arch> =
    kernel_type<kernel_name::log_softmax>{softmax_tasks<Arch>, log_softmax<Arch>};
template <instruction_set Arch>
inline constexpr auto kernel_of<kernel_name::cross_entropy, Arch> =
    kernel_type<kernel_name::cross_entropy>{cross_entropy_tasks<Arch>, cross_entropy<Arch>};
template <instruction_set Arch>
inline constexpr auto kernel_of<kernel_name::cross_entropy_gradient, Arch> =
    kernel_type<kernel_name::cross_entropy_gradient>{cross_entropy_tasks<Arch>, cross_entropy_gradient<Arch>};
template <instruction_set Arch>
inline constexpr auto kernel_of<kernel_name::reduce, Arch> =
    kernel_type<kernel_name::reduce>{reduce_tasks<Arch>, reduce<Arch>};
template <instruction_set Arch>
inline constexpr auto kernel_of<kernel_name::convolution, Arch> = kernel_type<kernel_name::convolution>{
    convolution_tasks<Arch>, convolution_scratch<Arch>, convolution<Arch>};
template <instruction_set Arch>
inline constexpr auto kernel_of<kernel_name::depthwise_convolution, Arch> =
    kernel_type<kernel_name::depthwise_convolution>{depthwise_tasks<Arch>, depthwise_scratch<Arch>,
                                                    depthwise<Arch>};
template <instruction_set Arch>
inline constexpr auto kernel_of<kernel_name::pool, Arch> =
    kernel_type<kernel_name::pool>{pool_tasks<Arch>, pool<Arch>};
template <instruction_set Arch>
inline constexpr auto kernel_of<kernel_name::update, Arch> = kernel_type<kernel_name::update>{update<Arch>};

} // namespace fovea::core::simd
