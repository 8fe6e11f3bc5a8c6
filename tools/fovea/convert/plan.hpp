#pragma once

#include <fovea/weights/weights.hpp>

#include <array>
#include <string>
#include <vector>

namespace tool::convert {

/// What becomes of a tensor, and why.
enum class kind {
  in_format,   // a matrix; with float32, every tensor
  vector,      // float32: a norm, a bias
  other_rank,  // as it is, as all below
  kept,        // by --keep
  not_asked,   // by --only
  broken_rows, // rows of no whole number of blocks
  turned,      // [in, out], as its bias shows: blocks would lie across what a product sums
  integers,
  unknown_type, // left out: a type that the output's format lacks, of which no parameter can be
  of_training   // left out: an optimizer's moments and what else training keeps
};
inline constexpr std::size_t kinds = 10;

/// The patterns of the command line, as a shell has them: `*` is any text.
struct choice {
  fovea::element_type type = fovea::element_type::q8_0;
  std::vector<std::string> keep, only; // by name; no `only`: all
  bool gguf = true;                    // the output's format; otherwise safetensors
};

struct planned_tensor {
  std::string name;
  fovea::stored_tensor from;
  kind what;
  fovea::element_type to; // of one that is not left out

  bool left_out() const { return what == kind::unknown_type || what == kind::of_training; }
};

/// What is to become of each tensor of a checkpoint. Throws fovea::error that names the first pattern that
/// matches none.
std::vector<planned_tensor> plan_of(const fovea::model_weights& source, const choice& asked);

} // namespace tool::convert
