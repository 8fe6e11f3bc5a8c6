#include <algorithm>

#include <fovea/backends/simd/context.hpp>
#include <fovea/backends/simd/steps.hpp>

namespace fovea::core::simd {

void run_over_ranks(context& c, const step& s) {
  rank_means* const ranks = c.random.over;
  float* to = c.result(s.node);
  if (c.graph.at(s.node).kind == op::rank_count) {
    *to = ranks == nullptr ? 1.0f : static_cast<float>(ranks->ranks());
    return;
  }
  const size_t count = c.elements(c.shape_of(s.node));
  std::copy_n(c.value(c.graph.operand(s.node, 0)), count, to);
  if (ranks != nullptr) ranks->take_mean({to, count});
}

} // namespace fovea::core::simd
