#pragma once

#include "boundary.hpp"
#include "numbers.hpp"

#include "../compiled_program.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tool {

/// A program that runs one model by some backends.
class model_program {
public:
  /// Throws failure with the compiler's or Fovea's sentence where the model does not compile.
  model_program(const model_source& of, const std::vector<std::string>& backends);

  const model_boundary& boundary() const { return boundary_; }

  /// The outputs by name. Throws failure with the sentence of the call.
  std::map<std::string, numbers> outputs(const std::string& backend, const std::filesystem::path& weights,
                                         const std::map<std::string, numbers>& inputs) const;

  /// Inputs as the model takes them: ids that its tables have, other numbers from -1 to 1. `sizes` are
  /// "T=16"; B is 2 and any other dim 8 where they do not say. Throws failure where the model lacks the dim.
  std::map<std::string, numbers> drawn_inputs(std::uint64_t seed,
                                              const std::vector<std::string>& sizes) const;

private:
  compiled_program program_;
  model_boundary boundary_;
};

} // namespace tool
