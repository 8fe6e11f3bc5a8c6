#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include <fovea/backends/simd/chain.hpp>
#include <fovea/backends/simd/equal_scans.hpp>
#include <fovea/backends/simd/lambda_attention.hpp>
#include <fovea/backends/simd/scan_code.hpp>
#include <fovea/dsl/plan/plan.hpp>

namespace fovea::core::simd {

/// Whether a step of the model has code of its own.
template <class model>
constexpr bool is_generated(const step& s) {
  if (s.kind == step_kind::chain) return true;
  const node& n = model::view.at(s.node);
  if (s.kind != step_kind::single || n.kind != op::attention) return false;
  const attention_settings& o = n.settings.attention;
  return o.score >= 0 || (o.mask >= 0 && !is_range(model::view.function(o.mask)));
}

/// The generated code of every step of a model, for one instruction set.
template <class model, class Arch>
struct generated_code {
  template <std::size_t i>
  static constexpr generated_step one() {
#ifdef FOVEA_SHAPES // which compiles what a user declares, and runs nothing
    return {};
#else
    constexpr step s = model::schedule.steps[i];
    generated_step made;
    if constexpr (is_small_scan<model, static_cast<int>(i)>()) {
      constexpr int equal = first_equal_scan<model>(static_cast<int>(i));
      constexpr int loop = is_small_scan<model, equal>() ? equal : static_cast<int>(i);
      using code = typename scan_loop<model, loop>::template code<Arch>;
      made.scan = code::run;
      made.scan_pack = code::pack;
      made.scan_packed_floats = code::packed_floats;
    } else if constexpr (is_generated<model>(s)) {
      if constexpr (s.kind == step_kind::chain) {
        made.chain = chain<model, s.node>::template code<Arch>::run;
        made.flat = chain<model, s.node>::is_flat;
      } else {
        made.attention_tasks = attention_tasks<Arch>;
        made.attention_scratch = attention_scratch<Arch>;
        made.attention = lambda_attention<model, s.node>::template run<Arch>;
      }
    }
    return made;
#endif
  }
  template <std::size_t... i>
  static constexpr auto all(std::index_sequence<i...>) {
    return std::array<generated_step, sizeof...(i)>{one<i>()...};
  }
  static constexpr auto steps =
      all(std::make_index_sequence<static_cast<std::size_t>(model::schedule.step_count)>{});
};

} // namespace fovea::core::simd
