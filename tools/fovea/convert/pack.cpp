#include "pack.hpp"

#include "../failure.hpp"

#include <fovea/backends/simd/isa/sets_here.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/weights/weights.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace tool::convert {
namespace {

using fovea::core::simd::set_sizes;

set_sizes set_for(const std::string& wanted) {
  const std::vector<set_sizes> here = fovea::core::simd::sets_here();
  if (wanted.empty()) return here.front();
  const auto found =
      std::ranges::find(here, wanted, [](const set_sizes& one) { return std::string(one.name); });
  if (found != here.end()) return *found;
  std::vector<std::string> names;
  for (const set_sizes& one : here) names.emplace_back(one.name);
  throw failure(fmt::format("--set: expected an instruction set of this machine, {}; found {}",
                            fmt::join(names, ", "), fovea::core::in_quotes(wanted)));
}

packed_report report_of(const std::filesystem::path& file, const set_sizes& set) {
  packed_report made{.set = set.name};
  const fovea::model_weights packed = fovea::load_weights(file);
  for (const auto& [name, tensor] : packed.tensors()) {
    const bool is_panels = tensor.type != fovea::element_type::f32;
    ++(is_panels ? made.panels : made.others);
    (is_panels ? made.panel_bytes : made.other_bytes) += tensor.bytes.size();
  }
  return made;
}

} // namespace

packed_report write_packed(const packing& asked) {
  const set_sizes set = set_for(asked.set);
  const compiled_program program("pack.cpp.in", asked.of);
  program.run({asked.from.string(), asked.to.string(), std::to_string(static_cast<unsigned>(asked.format)),
               set.name, std::to_string(set.panel)});
  return report_of(asked.to, set);
}

} // namespace tool::convert
