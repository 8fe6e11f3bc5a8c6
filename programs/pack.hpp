#pragma once

#include <fovea/dsl/graph_view.hpp>
#include <fovea/dsl/names.hpp>
#include <fovea/programs/parts.hpp>
#include <fovea/weights/weight_format.hpp>

#include <span>

namespace fovea::programs {

int pack(const core::graph_view& declared, std::span<const name_rule> names, core::weight_format format,
         const program_parts& parts, int count, char** words);

/// The main of a program that packs the weights of others, `pack FROM TO`: those of the model in a format, for the best of
/// the parts' instruction sets that runs here.
template <class format, class M>
int pack(const M& model, const program_parts& parts, int count, char** words) {
  return pack(M::view, model.names, core::format_named<format>, parts, count, words);
}

} // namespace fovea::programs
