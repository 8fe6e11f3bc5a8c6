#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include <boost/hana/for_each.hpp>
#include <boost/hana/tuple.hpp>

#include <fovea/backends/simd/context.hpp>
#include <fovea/backends/simd/generate.hpp>
#include <fovea/backends/simd/step_rows.hpp>

namespace fovea::core::simd {

template <class model, int first, int last>
struct program;

/// One step of a model's plan as code: what it does is decided here, at compile time, by its kind and its
/// node's op. `code` is the generated code of all steps.
template <class model, int i>
struct lowered {
  static constexpr step s = model::schedule.steps[i];
  static constexpr step_row row = row_of(model::view, s);

  void operator()(context& c, const generated_step* code) const {
    if constexpr (is_small_scan<model, i>())
      run_step(c, s, i, code, run_small_scan);
    else if constexpr (s.kind == step_kind::loop_begin)
      run_step(c, s, i, code, run_loop);
    else
      run_step(c, s, i, code, row.run);
  }

private:
  static void run_small_scan(context& c, const step&) {
    c.layers[s.node] = c.layers[model::view.region(s.node).parent];
    run_scan(c, nodes_of_scan<model, i>());
  }
  static void run_loop(context& c, const step&) {
    constexpr region_entry r = model::view.region(s.node);
    const generated_step* const code = c.code - i;
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
};

/// Steps first <= i < last of a model, in order, but for those that run once; a loop is one of them, with its own
/// program inside.
template <class model, int first, int last>
struct program {
  static constexpr int after(int i) {
    return model::schedule.steps[i].kind == step_kind::loop_begin ? model::schedule.steps[i].first + 1
                                                                  : i + 1;
  }
  static constexpr std::size_t count() {
    std::size_t n = 0;
    for (int i = first; i < last; i = after(i)) n += !model::schedule.steps[i].once;
    return n;
  }
  static constexpr auto indices = [] {
    std::array<int, count() + 1> at{};
    std::size_t n = 0;
    for (int i = first; i < last; i = after(i))
      if (!model::schedule.steps[i].once) at[n++] = i;
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
    if constexpr (constexpr step_row row = lowered<model, k>::row; row.has_scratch) {
      c.code = code + k;
      const scratch_floats needed = row.scratch(c, model::schedule.steps[k]);
      most.of_each = needed.of_each > most.of_each ? needed.of_each : most.of_each;
      most.shared = needed.shared > most.shared ? needed.shared : most.shared;
    }
  });
  return most;
}

} // namespace fovea::core::simd
