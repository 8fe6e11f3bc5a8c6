#pragma once

#include <cstring>
#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/panel.hpp>
#include <fovea/backends/simd/kernels/weight_panel.hpp>

namespace fovea::core::simd {

namespace detail {
inline constexpr size_t gather_rows = 16; // rows in a task: a task is worth handing to a thread

/// Row `id` of a table in panels.
template <class Arch, weight_format format>
inline void gather_column(const gather_args& args, size_t id, float* out) {
  constexpr size_t packed = panel<Arch>;
  const auto* at = static_cast<const unsigned char*>(args.table) +
                   id / packed * panel_layout<format>::bytes(packed, args.width);
  for (size_t k = 0; k < args.width; ++k) out[k] = weight_at<format>(at, packed, k, id % packed);
}

} // namespace detail

template <class Arch>
size_t gather_tasks(const gather_args& args) {
  return (args.rows + detail::gather_rows - 1) / detail::gather_rows;
}

/// With `formats`, of tables in formats too; with `k_blocks`, in those of K blocks.
template <class Arch, bool formats, bool k_blocks = false>
void gather(const gather_args& args, size_t first, size_t last) {
  const size_t end = last * detail::gather_rows < args.rows ? last * detail::gather_rows : args.rows;
  for (size_t i = first * detail::gather_rows; i < end; ++i) {
    const size_t id = static_cast<size_t>(args.ids[i]);
    float* out = args.out + i * args.out_stride;
    if (!args.paneled) {
      std::memcpy(out, static_cast<const float*>(args.table) + id * args.width, args.width * sizeof(float));
      continue;
    }
    if constexpr (formats)
      with_format(args.format, [&](auto layout) {
        if constexpr (layout.in_k_blocks == k_blocks) detail::gather_column<Arch, layout.of>(args, id, out);
      });
    else
      detail::gather_column<Arch, weight_format::f32>(args, id, out);
  }
}

} // namespace fovea::core::simd
