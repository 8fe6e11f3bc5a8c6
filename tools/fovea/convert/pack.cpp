#include "pack.hpp"

#include "../failure.hpp"

#include <fovea/backends/simd/isa/sets_here.hpp>
#include <program/text.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/runtime/tokenizers/pack_tokenizer.hpp>
#include <fovea/weights/gguf.hpp>
#include <fovea/weights/packed_weights.hpp>

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
  const fovea::core::gguf_file packed(file);
  for (const auto& [name, tensor] : packed.tensors()) {
    const bool is_table = fovea::core::is_of_tokenizer(name);
    const bool is_panels = tensor.type != fovea::element_type::f32;
    ++(is_table ? made.tables : is_panels ? made.panels : made.others);
    (is_table ? made.table_bytes : is_panels ? made.panel_bytes : made.other_bytes) += tensor.bytes.size();
  }
  return made;
}

/// That a tokenizer which is named can be packed.
void expect_packable(const std::filesystem::path& tokenizer) {
  if (!fovea::core::pack_tokenizer(tokenizer))
    throw failure(fmt::format(
        "--tokenizer {}: expected a tokenizer.json, or a GGUF file whose tokenizer has a form as one; "
        "found another, which programs open beside packed weights",
        tokenizer.string()));
}

} // namespace

std::filesystem::path tokenizer_beside(const std::filesystem::path& weights) {
  namespace fs = std::filesystem;
  const fs::path file = (fs::is_directory(weights) ? weights : weights.parent_path()) / "tokenizer.json";
  if (weights.extension() == ".gguf" || !fs::exists(file)) return {};
  try {
    fovea::load_tokenizer(file);
    return file;
  } catch (const fovea::error& problem) {
    program::notice("fovea", fmt::format("the tokenizer is left out: {}", problem.what()));
    return {};
  }
}

packed_report write_packed(const packing& asked) {
  const set_sizes set = set_for(asked.set);
  if (!asked.tokenizer.empty()) expect_packable(asked.tokenizer);
  const compiled_program program("pack.cpp.in", asked.of);
  program.run({asked.from.string(), asked.to.string(), std::to_string(static_cast<unsigned>(asked.format)),
               set.name, std::to_string(set.panel), asked.tokenizer.string()});
  return report_of(asked.to, set);
}

} // namespace tool::convert
