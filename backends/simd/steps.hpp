#pragma once

// How each kind of step is run: arguments from the plan and the sizes of the call, then the kernel, over all
// threads.

#include <cstdint>
#include <span>

#include <fovea/backends/simd/generated.hpp>
#include <fovea/dsl/plan/plan.hpp>

namespace fovea::core::simd {

struct context;
struct product_args;
struct turned_product_args;

/// The scratch memory that a step needs: for each thread, and for all together.
struct scratch_floats {
  size_t of_each = 0, shared = 0;
};

/// Runs step i of a plan by the function of its kind, and does what `context::watched` asks for. `code` is that of all
/// steps. Models call it in place of their steps: in it what each would test stands once, and the arguments of `run` are
/// where it takes them.
void run_step(context& c, const step& s, int i, const generated_step* code,
              void (*run)(context&, const step&));

/// Throws fovea::error that names the node's place in the source where one of the numbers is not 0 to `end` - 1; `what` says
/// what they are.
void check_numbers(const node& n, const char* what, std::span<const std::int32_t> numbers, size_t end);

// `*_scratch`: what a step needs at the sizes of `c`, and at smaller ones.

/// The product of parts whose formats all round the rows, or all do not; `scratch` is memory of `multiply_scratch`.
void multiply(context& c, const product_args& args, float* scratch);
size_t multiply_scratch(const context& c,
                        const product_args& args); // floats, of these sizes and of fewer rows

/// a^T b of numbers rounded to bfloat16, rows of a and of out lying next to each other.
void run_rounded_turned(const context& c, const turned_product_args& a);
scratch_floats rounded_turned_scratch(const context& c, const turned_product_args& a);

void run_product(context& c, const step& s);
scratch_floats product_scratch(context& c, const step& s);
void run_matmul(context& c, const step& s);
scratch_floats matmul_scratch(context& c, const step& s);
void run_expert_linear(context& c, const step& s);
scratch_floats expert_linear_scratch(context& c, const step& s);
void run_expert_linear_gradient(context& c, const step& s);
void run_expert_weight_gradient(context& c, const step& s);
scratch_floats expert_gradient_scratch(context& c, const step& s); // of both
void run_convolution(context& c, const step& s);
scratch_floats convolution_scratch(context& c, const step& s);
void run_pool(context& c, const step& s); // max_pool, avg_pool
void run_stft(context& c, const step& s); // stft, stft_transposed
scratch_floats stft_scratch(context& c, const step& s);
void run_chain(context& c, const step& s);
void run_attention(context& c, const step& s);
void run_attention_map(context& c, const step& s);
/// The gradients of attention's query, key and value, one behind the other.
void run_attention_gradient(context& c, const step& s);
scratch_floats attention_scratch(context& c, const step& s);
scratch_floats attention_map_scratch(context& c, const step& s);
scratch_floats attention_gradient_scratch(context& c, const step& s);

void run_norm(context& c, const step& s); // layer_norm, rms_norm
/// The gradients of layer_norm's or rms_norm's x, weight and bias, one behind the other.
void run_norm_gradient(context& c, const step& s);
void run_group_norm(context& c, const step& s); // Wu and He 2018
void run_batch_norm(context& c, const step& s);
void run_softmax(context& c, const step& s);       // softmax, log_softmax
void run_cross_entropy(context& c, const step& s); // and its gradient
void run_reduce(context& c, const step& s);        // reductions but argmax
void run_argmax(context& c, const step& s);
void run_gather(context& c, const step& s);
void run_order(context& c, const step& s);
scratch_floats order_scratch(context& c, const step& s);
void run_take_along(context& c, const step& s);
void run_take_along_gradient(context& c, const step& s);
void run_range(context& c, const step& s);
void run_sinusoidal(context& c, const step& s);
void run_rope(context& c, const step& s);
/// transpose, permute, slice, reverse, broadcast: the same elements read by other strides.
void run_copy(context& c, const step& s);
void run_concat(context& c, const step& s);
void run_pad(context& c, const step& s);

void run_slice_gradient(context& c, const step& s); // zeros around a slice
void run_scatter_add(context& c, const step& s);
void run_convolution_weight_gradient(context& c, const step& s);
scratch_floats convolution_weight_gradient_scratch(context& c, const step& s);
void run_pool_gradient(context& c, const step& s); // of max_pool, avg_pool

void run_dropout_mask(context& c, const step& s);
void run_over_ranks(context& c, const step& s); // rank_mean, rank_count

void run_time_step(context& c, const step& s);  // one step of a sequence
void run_time_index(context& c, const step& s); // its number
void run_outside(context& c, const step& s);    // which positions lie outside of the sequence
void run_stack(context& c, const step& s);      // puts a step's value in its place along time

/// A whole scan, by its own function.
void run_scan(context& c, const scan_nodes& nodes);
void run_keep(context& c, const step& s);     // a value for the next call of a stream
void run_cache(context& c, const step& s);    // new positions behind those of earlier calls
void run_position(context& c, const step& s); // how many positions went before

/// Brings what a loop carries to its slots, and exchanges them after a pass.
void begin_loop(context& c, int region);
void end_pass(context& c, int region);

} // namespace fovea::core::simd
