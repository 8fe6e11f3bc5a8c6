#pragma once

#include "numbers.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tool {

struct tolerance {
  double rtol = 1e-4, atol = 1e-5;
};

/// Inputs and outputs of a model, under the names that the model has for them, and how near it should come.
struct reference_values {
  std::map<std::string, numbers> inputs, outputs;
  tolerance within;
  std::string input_names; // those of the file, as "ids, mask"
};

/// Reads a safetensors file with tensors `input.NAME` and `output.NAME`, and a tolerance as "rtol" and "atol"
/// in the JSON text under the key `case` of its metadata, if it says one.
///
/// `inputs` and `outputs` rename, each "ours=theirs". One may be made of another: "ours=count(theirs)", how many are
/// not 0 along the last axis, a mask as lengths; "ours=length(theirs)", how many there are; "ours=zeros(theirs)", zeros of
/// its shape. Throws fovea::error that names what is not there.
reference_values read_reference(const std::filesystem::path& path, const std::vector<std::string>& inputs,
                                const std::vector<std::string>& outputs);

} // namespace tool
