#pragma once

#include <cstddef>
#include <fovea/backends/simd/isa/dispatch.hpp>
#include <fovea/backends/simd/isa/sets_here.hpp>
#include <fovea/backends/simd/isa/symbols.hpp>
#include <fovea/base/system/memory.hpp>
#include <memory>
#include <optional>
#include <random>
#include <sets.hpp>
#include <string>
#include <vector>

namespace kernels_for_tests {

using namespace fovea::core::simd;

#define FOVEA_DECLARE_OF(set, name, type) extern "C" const type FOVEA_SYMBOL(name, set);
#define FOVEA_DECLARE(name, type) FOVEA_SETS(FOVEA_DECLARE_OF, name, type)
FOVEA_KERNELS(FOVEA_DECLARE)
#undef FOVEA_DECLARE
#undef FOVEA_DECLARE_OF

/// Every kernel of a set as dispatch gives it.
inline kernel_table all_of(const set_sizes& set) {
  const char* of = set.name;
  kernel_table made{.set = set};
#define FOVEA_FIND(name, type) made.name = &kernel_named<kernel_name::name>(of);
  FOVEA_KERNELS(FOVEA_FIND)
#undef FOVEA_FIND
  return made;
}

/// The same without what a processor may have beside the set; nothing where it has none.
inline std::optional<kernel_table> plain_kernels(const set_sizes& set) {
  kernel_table made{.set = set};
  const std::string of = set.name;
  bool differ = false;
#define FOVEA_FIND_IN(one, name, type)                                                                       \
  if (of == #one) made.name = &FOVEA_SYMBOL(name, one);
#define FOVEA_FIND(name, type)                                                                               \
  FOVEA_SETS(FOVEA_FIND_IN, name, type)                                                                      \
  differ = differ || made.name != &kernel_named<kernel_name::name>(of);
  FOVEA_KERNELS(FOVEA_FIND)
#undef FOVEA_FIND
#undef FOVEA_FIND_IN
  return differ ? std::optional(made) : std::nullopt;
}

} // namespace kernels_for_tests

/// Every kernel of the set in use.
inline const fovea::core::simd::kernel_table& kernels() {
  using namespace kernels_for_tests;
  static const kernel_table all = all_of(*set_named(fovea::instruction_set()));
  return all;
}

/// The kernels to test: the set that FOVEA_ISA names, or each that the processor has, also without what a processor
/// may have beside it.
inline std::vector<const fovea::core::simd::kernel_table*> kernel_sets() {
  using namespace kernels_for_tests;
  static const std::vector<kernel_table> tables = [] {
    const char* wanted = std::getenv("FOVEA_ISA");
    std::vector<kernel_table> made;
    for (const set_sizes& set : sets_here()) {
      if (wanted != nullptr && std::string(set.name) != wanted) continue;
      made.push_back(all_of(set));
      if (const auto plain = plain_kernels(set)) made.push_back(*plain);
    }
    return made;
  }();
  std::vector<const kernel_table*> sets;
  for (const kernel_table& table : tables) sets.push_back(&table);
  return sets;
}

/// 64-byte aligned floats, filled with `fill`.
class aligned_floats {
public:
  explicit aligned_floats(std::size_t count, float fill = 0)
      : data_(
            static_cast<float*>(fovea::core::system::allocate((count * sizeof(float) + 64) / 64 * 64, 64))) {
    for (std::size_t i = 0; i < count; ++i) data_[i] = fill;
  }
  float* data() { return data_.get(); }
  float& operator[](std::size_t i) { return data_[i]; }

private:
  struct free {
    void operator()(float* p) const { fovea::core::system::free(p); }
  };
  std::unique_ptr<float[], free> data_;
};

inline std::vector<float> random_floats(std::size_t count, std::mt19937& random) {
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> x(count);
  for (float& value : x) value = uniform(random);
  return x;
}
