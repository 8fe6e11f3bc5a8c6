#pragma once

#include <cstddef>
#include <cstdlib>
#include <fovea/backends/simd/isa/dispatch.hpp>
#include <fovea/backends/simd/isa/tables.hpp>
#include <memory>
#include <random>
#include <vector>

/// The kernels to test: the set that FOVEA_ISA names, or each that the processor has, of AVX-512 also without
/// what a processor may have beside it.
inline std::vector<const fovea::core::simd::kernel_table*> kernel_sets() {
  if (std::getenv("FOVEA_ISA")) return {&fovea::core::simd::kernels()};
  std::vector<const fovea::core::simd::kernel_table*> sets;
  for (const char* name : {"portable", "baseline", "avx2", "avx512"})
    if (const auto* table = fovea::core::simd::table_for(name)) sets.push_back(table);
  if (fovea::core::simd::table_for("avx512")) sets.push_back(&fovea_kernels_avx512);
  return sets;
}

/// 64-byte aligned floats, filled with `fill`.
class aligned_floats {
public:
  explicit aligned_floats(std::size_t count, float fill = 0)
      : data_(static_cast<float*>(std::aligned_alloc(64, (count * sizeof(float) + 64) / 64 * 64))) {
    for (std::size_t i = 0; i < count; ++i) data_[i] = fill;
  }
  float* data() { return data_.get(); }
  float& operator[](std::size_t i) { return data_[i]; }

private:
  struct free {
    void operator()(float* p) const { std::free(p); }
  };
  std::unique_ptr<float[], free> data_;
};

inline std::vector<float> random_floats(std::size_t count, std::mt19937& random) {
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> x(count);
  for (float& value : x) value = uniform(random);
  return x;
}
