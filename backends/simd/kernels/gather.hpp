#pragma once

#include <cstring>
#include <fovea/backends/simd/kernels/panel.hpp>
#include <fovea/backends/simd/kernels/table.hpp>

namespace fovea::simd {

namespace detail {
inline constexpr size_t gather_rows = 16; // rows in a task: a task is worth handing to a thread
}

template <class Arch>
size_t gather_tasks(const gather_args& args) {
  return (args.rows + detail::gather_rows - 1) / detail::gather_rows;
}

template <class Arch>
void gather(const gather_args& args, size_t first, size_t last) {
  const size_t end = last * detail::gather_rows < args.rows ? last * detail::gather_rows : args.rows;
  for (size_t i = first * detail::gather_rows; i < end; ++i) {
    const size_t id = static_cast<size_t>(args.ids[i]);
    float* out = args.out + i * args.out_stride;
    if (args.paneled) {
      const float* column = args.table + id / panel<Arch> * panel<Arch> * args.width + id % panel<Arch>;
      for (size_t k = 0; k < args.width; ++k) out[k] = column[k * panel<Arch>];
    } else {
      std::memcpy(out, args.table + id * args.width, args.width * sizeof(float));
    }
  }
}

} // namespace fovea::simd
