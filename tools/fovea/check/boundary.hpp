#pragma once

#include "reference.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace tool {

/// An input of a model: its name, whether it takes integers, and its axes as "T", "T + 1" or "3".
struct model_input {
  std::string name;
  bool whole = false;
  std::vector<std::string> axes;
};

/// What a model takes and gives, and the names of the dims of its inputs.
struct model_boundary {
  std::vector<model_input> inputs;
  std::vector<std::string> outputs, dims;
};

/// Reads what a model_program's `describe` wrote.
model_boundary read_boundary(const std::filesystem::path& path);

/// Throws failure where one of `sizes`, each "T=16", is of a dim that the model does not have.
void require_dims(const model_boundary& model, const std::vector<std::string>& sizes);

/// Throws failure where a rename, "ours=theirs", is of an input or output that the model does not have.
void require_names(const model_boundary& model, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs);

/// Throws failure, with a sentence that begins with the path of the reference, where the reference lacks an
/// input of the model or has one of another type or shape.
void require_inputs(const model_boundary& model, const reference_values& reference,
                    const std::filesystem::path& path);

} // namespace tool
