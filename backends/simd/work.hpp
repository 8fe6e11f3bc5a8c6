#pragma once

#include <cstdint>

#include <fovea/dsl/plan/cost.hpp>
#include <fovea/dsl/plan/plan.hpp>

namespace fovea::core::simd {

/// What work_of gives for steps that it does not estimate.
inline constexpr std::int64_t unknown_work = 1'000'000'000;

/// How many multiplications with their additions take the time of an element that is read or written.
inline constexpr std::int64_t multiply_adds_of_element = 6;

/// What a step takes one thread in one pass, in nanoseconds, within a factor of a few: enough to tell whether
/// it is more than what sharing it among threads takes. By multiplications and by what is read and written;
/// `lanes` is how many numbers a vector of the processor holds, size(d) gives the size of each dim.
template <class sizes>
constexpr std::int64_t work_of(const graph_view& g, const plan_view& p, const step& s, std::int64_t lanes,
                               const sizes& size) {
  std::int64_t multiply_adds = 0, elements = 0;
  const auto add = [&](int root) {
    const int id = p.product[root] >= 0 ? p.product[root] : root;
    const cost costs = operation_of(g.at(id).kind).costs;
    multiply_adds += core::detail::multiply_adds(g, id, size);
    // Of a table and of a sequence only what is taken or put there.
    const bool moves = costs == cost::taken || costs == cost::put;
    const int moved = costs == cost::put ? g.operand(id, 0) : root;
    elements += (moves ? 2 : 1) * core::detail::elements(g.at(moved).shape, size);
    for (int i = moves ? 1 : 0; i < g.at(id).operand_count; ++i)
      elements += core::detail::elements(g.at(g.operand(id, i)).shape, size);
  };
  switch (s.kind) {
    case step_kind::product:
    case step_kind::convolution:
    case step_kind::matmul:
      for (int i = 0; i < s.count; ++i) add(p.parts[s.first + i]);
      break;
    case step_kind::chain:
      add(s.node);
      break;
    case step_kind::single:
      if (const family f = operation_of(g.at(s.node).kind).of;
          f == family::gradient || f == family::random || f == family::ranks)
        return unknown_work;
      add(s.node);
      break;
    case step_kind::loop_begin: // of a scan that is one function
    case step_kind::loop_end:
      return unknown_work;
  }
  return (multiply_adds / multiply_adds_of_element + elements) / lanes;
}

} // namespace fovea::core::simd
