#include <fovea/programs/pack.hpp>

#include <fovea/programs/built.hpp>
#include <fovea/runtime/backend_of.hpp>
#include <fovea/runtime/tokenizers/pack_tokenizer.hpp>

#include <program/program.hpp>

#include <algorithm>

namespace fovea::programs {
namespace {

struct pack_options {
  std::filesystem::path from, to, tokenizer;
};

/// The best of a program's sets that runs here; where none does, the one that programs take here.
core::panel_set set_for(const program_parts& parts) {
  const auto runs = std::ranges::find_if(parts.sets, core::may_run);
  const std::string name = runs == parts.sets.end() ? instruction_set() : *runs;
  return {name, core::panel_of(name)};
}

} // namespace

int pack(const core::graph_view& declared, std::span<const name_rule> names, core::weight_format format,
         const program_parts& parts, int count, char** words) {
  return program::run<pack_options>(
      parts.name.c_str(), "Packs the weights of a model for a program that has them in it.", count, words,
      [](CLI::App& app, pack_options& o) {
        app.add_option("FROM", o.from, "The weights")->required();
        app.add_option("TO", o.to, "The file to write")->required();
        app.add_option("--tokenizer", o.tokenizer, "Its tokenizer; that of the weights where they are GGUF");
      },
      [&](const pack_options& o) {
        core::save_packed(o.to, declared, weights_of(parts, o.from), names, format, set_for(parts),
                          core::packed_sources{.weights = o.from, .tokenizer = o.tokenizer});
      });
}

} // namespace fovea::programs
