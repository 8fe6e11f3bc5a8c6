#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <boost/hana/basic_tuple.hpp>
#include <boost/hana/unpack.hpp>

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
  static auto steps_of(std::index_sequence<k...>) -> boost::hana::basic_tuple<lowered<model, indices[k]>...>;
  using steps = decltype(steps_of(std::make_index_sequence<count()>{}));

  // No fold expression: compilers limit how deep these nest.
  static void run(context& c, const generated_step* code) {
    boost::hana::unpack(steps{}, [&](const auto&... one) {
      [[maybe_unused]] const int order[] = {0, (one(c, code), 0)...};
    });
  }
};

/// f of the number of each step for which P holds, as a constant.
template <class model, class P, class F>
void for_steps(P, F f) {
  constexpr auto count = static_cast<std::size_t>(model::schedule.step_count);
  constexpr std::size_t chosen = [] {
    std::size_t n = 0;
    for (std::size_t i = 0; i < count; ++i) n += P{}(i);
    return n;
  }();
  constexpr auto numbers = [] {
    std::array<int, chosen + 1> found{};
    std::size_t n = 0;
    for (std::size_t i = 0; i < count; ++i)
      if (P{}(i)) found[n++] = static_cast<int>(i);
    return found;
  }();
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    [[maybe_unused]] const int order[] = {0, (f(std::integral_constant<int, numbers[k]>{}), 0)...};
  }
  (std::make_index_sequence<chosen>{});
}

/// The scratch memory that suffices for every step at the sizes of `c`.
template <class model>
scratch_floats scratch_of_steps(context& c, const generated_step* code) {
  constexpr auto count = static_cast<std::size_t>(model::schedule.step_count);
  static constexpr auto needed_by = [] {
    std::array<decltype(step_row::scratch), count + 1> found{};
    for (std::size_t i = 0; i < count; ++i) found[i] = row_of(model::view, model::schedule.steps[i]).scratch;
    return found;
  }();
  scratch_floats most;
  for (std::size_t i = 0; i < count; ++i)
    if (needed_by[i]) {
      c.code = code + i;
      const scratch_floats needed = needed_by[i](c, model::schedule.steps[i]);
      most.of_each = std::max(most.of_each, needed.of_each);
      most.shared = std::max(most.shared, needed.shared);
    }
  return most;
}

} // namespace fovea::core::simd
