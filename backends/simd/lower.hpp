#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include <boost/hana/for_each.hpp>
#include <boost/hana/tuple.hpp>

#include <fovea/backends/simd/generate.hpp>
#include <fovea/backends/simd/steps.hpp>

namespace fovea::core::simd {

template <class model, int first, int last>
struct program;

/// One step of a model's plan as code: what it does is decided here, at compile time, by its kind and its
/// node's op. `code` is the generated code of all steps.
template <class model, int i>
struct lowered {
  static constexpr step s = model::schedule.steps[i];

  void operator()(context& c, const generated_step* code) const {
    c.work = c.step_work[i];
    if constexpr (s.kind == step_kind::product)
      run_product(c, s);
    else if constexpr (s.kind == step_kind::convolution)
      run_convolution(c, s);
    else if constexpr (s.kind == step_kind::matmul)
      run_matmul(c, s);
    else if constexpr (s.kind == step_kind::chain)
      run_chain(c, s, chain<model, s.node>::is_flat, code[i]);
    else if constexpr (is_small_scan<model, i>()) {
      c.layers[s.node] = c.layers[model::view.region(s.node).parent];
      run_scan(c, nodes_of_scan<model, i>(), code[i]);
    } else if constexpr (s.kind == step_kind::loop_begin)
      run_loop(c, code);
    else
      run_single(c, code);
  }

private:
  static void run_loop(context& c, const generated_step* code) {
    constexpr region_entry r = model::view.region(s.node);
    begin_loop(c, s.node);
    const std::int64_t before = c.layers[r.parent] * r.count;
    const auto passes = r.is_scan() ? static_cast<std::int64_t>(c.size(r.time)) : std::int64_t{r.count};
    for (std::int64_t pass = 0; pass < passes; ++pass) {
      const std::int64_t now = r.reversed ? passes - 1 - pass : pass;
      c.layers[s.node] = r.is_scan() ? before : before + now;
      c.times[s.node] = now;
      program<model, i + 1, s.first>::run(c, code);
      end_pass(c, s.node);
    }
  }

  static void run_single(context& c, const generated_step* code) {
    constexpr op kind = model::view.at(s.node).kind;
    if constexpr (kind == op::attention)
      run_attention(c, s, code[i]);
    else if constexpr (kind == op::attention_map)
      run_attention_map(c, s);
    else if constexpr (kind == op::attention_gradient)
      run_attention_gradient(c, s);
    else if constexpr (kind == op::layer_norm || kind == op::rms_norm)
      run_norm(c, s);
    else if constexpr (kind == op::layer_norm_gradient || kind == op::rms_norm_gradient)
      run_norm_gradient(c, s);
    else if constexpr (kind == op::group_norm)
      run_group_norm(c, s);
    else if constexpr (kind == op::batch_norm)
      run_batch_norm(c, s);
    else if constexpr (kind == op::softmax || kind == op::log_softmax)
      run_softmax(c, s);
    else if constexpr (kind == op::cross_entropy || kind == op::cross_entropy_gradient)
      run_cross_entropy(c, s);
    else if constexpr (kind == op::sum || kind == op::mean || kind == op::max_over || kind == op::min_over)
      run_reduce(c, s);
    else if constexpr (kind == op::argmax)
      run_argmax(c, s);
    else if constexpr (kind == op::gather)
      run_gather(c, s);
    else if constexpr (kind == op::range)
      run_range(c, s);
    else if constexpr (kind == op::sinusoidal)
      run_sinusoidal(c, s);
    else if constexpr (kind == op::rope)
      run_rope(c, s);
    else if constexpr (kind == op::concat)
      run_concat(c, s);
    else if constexpr (kind == op::max_pool || kind == op::avg_pool)
      run_pool(c, s);
    else if constexpr (kind == op::pad)
      run_pad(c, s);
    else if constexpr (kind == op::slice_gradient)
      run_slice_gradient(c, s);
    else if constexpr (kind == op::scatter_add)
      run_scatter_add(c, s);
    else if constexpr (kind == op::conv_weight_gradient)
      run_convolution_weight_gradient(c, s);
    else if constexpr (kind == op::max_pool_gradient || kind == op::avg_pool_gradient)
      run_pool_gradient(c, s);
    else if constexpr (kind == op::dropout_mask)
      run_dropout_mask(c, s);
    else if constexpr (kind == op::time_step)
      run_time_step(c, s);
    else if constexpr (kind == op::time_index)
      run_time_index(c, s);
    else if constexpr (kind == op::stack)
      run_stack(c, s);
    else if constexpr (kind == op::keep)
      run_keep(c, s);
    else if constexpr (kind == op::cache)
      run_cache(c, s);
    else if constexpr (kind == op::position)
      run_position(c, s);
    else if constexpr (kind == op::outside)
      run_outside(c, s);
    else {
      static_assert(kind == op::transpose || kind == op::permute || kind == op::slice ||
                        kind == op::reverse || kind == op::broadcast,
                    "an operation without a step");
      run_copy(c, s);
    }
  }
};

/// Steps first <= i < last of a model, in order; a loop is one of them, with its own program inside.
template <class model, int first, int last>
struct program {
  static constexpr int after(int i) {
    return model::schedule.steps[i].kind == step_kind::loop_begin ? model::schedule.steps[i].first + 1
                                                                  : i + 1;
  }
  static constexpr std::size_t count() {
    std::size_t n = 0;
    for (int i = first; i < last; i = after(i)) ++n;
    return n;
  }
  static constexpr auto indices = [] {
    std::array<int, count() + 1> at{};
    std::size_t n = 0;
    for (int i = first; i < last; i = after(i)) at[n++] = i;
    return at;
  }();
  template <std::size_t... k>
  static constexpr auto steps_of(std::index_sequence<k...>) {
    return boost::hana::make_tuple(lowered<model, indices[k]>{}...);
  }
  static constexpr auto steps = steps_of(std::make_index_sequence<count()>{});

  static void run(context& c, const generated_step* code) {
    boost::hana::for_each(steps, [&](const auto& one) { one(c, code); });
  }
};

/// f of each step's number, as a constant. No fold expression: compilers limit how deep these nest.
template <class model, class F>
void for_steps(F f) {
  [&]<int... i>(std::integer_sequence<int, i...>) {
    [[maybe_unused]] const int order[] = {0, (f(std::integral_constant<int, i>{}), 0)...};
  }
  (std::make_integer_sequence<int, model::schedule.step_count>{});
}

/// The scratch memory that suffices for every step at the sizes of `c`.
template <class model>
scratch_floats scratch_of_steps(context& c, const generated_step* code) {
  scratch_floats most;
  for_steps<model>([&]<int k>(std::integral_constant<int, k>) {
    constexpr step s = model::schedule.steps[k];
    [[maybe_unused]] const auto consider = [&](scratch_floats needed) {
      most.of_each = needed.of_each > most.of_each ? needed.of_each : most.of_each;
      most.shared = needed.shared > most.shared ? needed.shared : most.shared;
    };
    if constexpr (s.kind == step_kind::single) {
      constexpr op kind = model::view.at(s.node).kind;
      if constexpr (kind == op::attention) consider(attention_scratch(c, s, code[k]));
      if constexpr (kind == op::attention_map) consider({attention_map_scratch(c, s)});
      if constexpr (kind == op::attention_gradient) consider({attention_gradient_scratch(c, s)});
      if constexpr (kind == op::conv_weight_gradient) consider({convolution_weight_gradient_scratch(c)});
    }
    if constexpr (s.kind == step_kind::convolution) consider({convolution_scratch(c, s)});
    if constexpr (s.kind == step_kind::product) consider({.shared = product_scratch(c, s)});
    if constexpr (s.kind == step_kind::matmul) consider({matmul_scratch(c, s)});
  });
  return most;
}

} // namespace fovea::core::simd
