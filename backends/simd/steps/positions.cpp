#include <cstring>

#include <fovea/backends/simd/context.hpp>
#include <fovea/backends/simd/steps.hpp>

namespace fovea::core::simd {

void run_sinusoidal(context& c, const step& s) {
  // [positions, width]; with the batch before them where its rows may stand apart.
  const shape& x = c.shape_of(s.node);
  const size_t floats = c.size(x[-2]) * c.size(x[-1]);
  for (size_t b = 0; b < c.elements(x, 0, x.rank - 2); ++b)
    std::memcpy(c.result(s.node) + b * floats, c.angles(s.node, b), floats * sizeof(float));
}

void run_rope(context& c, const step& s) {
  const node& n = c.graph.at(s.node);
  const rope_settings& o = n.settings.rope;
  const size_t width = c.size(n.shape[-1]), heads = static_cast<size_t>(o.heads), head = width / heads;
  const size_t turned = static_cast<size_t>(o.width), length = c.size(n.shape[-2]);
  const bool neighbours = o.neighbours, turned_back = o.turned_back;
  const float* x = c.value(c.graph.operand(s.node, 0));
  float* out = c.result(s.node);
  // Tasks are rows of all leading axes; a few at a time are worth a thread.
  constexpr size_t rows_at_once = 8;
  const bool apart_from_others = o.rate != 0 && c.row_places != nullptr;
  const size_t rows = c.rows(n.shape), of_batch = apart_from_others ? rows / c.row_count : rows;
  c.run((rows + rows_at_once - 1) / rows_at_once, [&](size_t first, size_t last, size_t) {
    const size_t end = last * rows_at_once < rows ? last * rows_at_once : rows;
    for (size_t row = first * rows_at_once; row < end; ++row) {
      const float* angles = c.angles(s.node, row / of_batch) + row % length * turned;
      for (size_t h = 0; h < heads; ++h) {
        const float* from = x + row * width + h * head;
        float* to = out + row * width + h * head;
        const size_t step = neighbours ? 2 : 1, apart = neighbours ? 1 : turned / 2;
        for (size_t i = 0; i < turned / 2; ++i) {
          const float sine = turned_back ? -angles[2 * i] : angles[2 * i], cosine = angles[2 * i + 1],
                      u = from[i * step], v = from[i * step + apart];
          to[i * step] = u * cosine - v * sine;
          to[i * step + apart] = u * sine + v * cosine;
        }
        for (size_t i = turned; i < head; ++i) to[i] = from[i];
      }
    }
  });
}

} // namespace fovea::core::simd
