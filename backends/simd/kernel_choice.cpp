#include <fovea/backends/simd/kernel_choice.hpp>

#include <string>

#include <fovea/backends/simd/format_code.hpp>
#include <fovea/base/error.hpp>

namespace fovea::core::simd {

kernel_table kernels_of(const model_code& code) {
  const kernel_choice& from = *code.kernels;
  const std::string set = from.set == nullptr ? instruction_set() : from.set;
  const set_sizes* sizes = set_named(set);
  if (sizes == nullptr)
    throw error("the model is compiled for the instruction set " + set +
                ", which this processor lacks; it has " + instruction_set());
  kernel_table made{.set = *sizes};
#define FOVEA_FIND(name, type)                                                                               \
  if (from.name != nullptr) made.name = &from.name();
  FOVEA_KERNELS(FOVEA_FIND)
#undef FOVEA_FIND
  if (code.format != nullptr) code.format->add_kernels(made);
  return made;
}

} // namespace fovea::core::simd
