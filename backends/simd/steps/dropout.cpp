#include <algorithm>

#include <fovea/backends/simd/context.hpp>
#include <fovea/backends/simd/steps.hpp>

namespace fovea::core::simd {

void run_dropout_mask(context& c, const step& s) {
  const node& n = c.graph.at(s.node);
  dropout_draw draw(c.random, n.settings.dropout.draw, n.settings.dropout.rate);
  for (int k = 0; k < n.operand_count; ++k) // the passes of the loops around it
    draw.add(static_cast<std::uint64_t>(*c.integers(c.graph.operand(s.node, k))));
  float* to = c.result(s.node);
  constexpr size_t piece = 4096;
  const size_t count = c.elements(n.shape);
  const std::uint64_t before = c.random.part * count;
  c.run((count + piece - 1) / piece, [&](size_t first, size_t last, size_t) {
    for (size_t i = first * piece; i < std::min(last * piece, count); ++i)
      to[i] = draw(static_cast<std::uint32_t>(before + i));
  });
}

} // namespace fovea::core::simd
