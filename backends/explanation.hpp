#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fovea::core {

/// Where a step leaves a value: `offset` bytes behind the begin of the arena, or -1 where it lies among what a stream
/// keeps. What a loop carries lies there before its first pass.
struct explained_result {
  std::int64_t offset = -1, bytes = 0;
  bool is_output = false; // of the model
};

/// One step of a compiled model as it runs, or the loop around some. FLOPs and bytes are those of one pass.
///   text    what it computes: "linear h.*.mlp.up (gelu)" is the word, its parameters, and what is fused into it
///   kernel  what runs it: a kernel, code of its own ("chain", "scan", "loop"), or the word of an operation
///   sizes   rows x depth x columns of a product, rows x queries x keys x width of an attention, the steps of a
///           scan, else the sizes of the result
struct explained_step {
  int step = 0;  // its number, as FOVEA_PROFILE has it
  int depth = 0; // how many loops it is in
  std::string text, kernel;
  std::string weights = {}; // their format; empty where it has none
  std::string sizes = {};
  std::int64_t passes = 1, flops = 0;
  std::int64_t parameter_bytes = 0, value_bytes = 0; // that it cannot but read or write
  std::vector<explained_result> results = {};
};

/// What runs when a compiled model is called.
struct explanation {
  std::string model, sizes; // "B = 1, T = 32"
  std::string set;          // of instructions
  std::size_t threads = 1;
  std::int64_t arena_bytes = 0;
  std::vector<explained_step> steps = {};

  /// Of a call, all passes counted.
  std::int64_t flops() const {
    std::int64_t all = 0;
    for (const explained_step& s : steps) all += s.passes * s.flops;
    return all;
  }
  std::int64_t bytes() const {
    std::int64_t all = 0;
    for (const explained_step& s : steps) all += s.passes * (s.parameter_bytes + s.value_bytes);
    return all;
  }
};

} // namespace fovea::core
