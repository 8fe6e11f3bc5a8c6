#pragma once

#include "plan.hpp"

#include <array>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace tool::convert {

/// The tensors of a kind.
struct kind_count {
  std::size_t tensors = 0, bytes_before = 0, bytes_after = 0;
  std::vector<std::string> names = {};
  std::set<std::string, std::less<>> types = {}; // before
};

/// What a conversion did.
struct report {
  std::array<kind_count, kinds> of{};        // by kind
  double mean_error = 0, greatest_error = 0; // fovea::core::relative_error of the tensors in the format
  std::string worst;                         // the one of greatest_error; empty where all are exact
  std::size_t long_names = 0;                // which ggml does not read

  const kind_count& at(kind what) const { return of[static_cast<std::size_t>(what)]; }
};

/// Reads weights of any format and writes them with the tensors that are asked for in another, under the same
/// names. Keys of a GGUF file and texts of other formats go with them, but for a checkpoint's notes of
/// training; a safetensors file has no room for arrays, such as a tokenizer's vocabulary. The output appears
/// whole or not at all. `progress(done, of)` counts bytes that are read. Throws fovea::error that names file
/// and tensor, what was expected and what was found.
report write_converted(const std::filesystem::path& from, const std::filesystem::path& to,
                       const choice& asked, const std::function<void(std::size_t, std::size_t)>& progress);

} // namespace tool::convert
