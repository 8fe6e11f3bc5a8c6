#pragma once

#include <fovea/dsl/model.hpp>

#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace fovea::core {

/// One operation of a model as it was declared.
struct described_node {
  int depth = 0;              // how many repeats and scans it is in
  std::string operation = {}; // the word; of a region's own line "repeat 12 times" or "scan over T"
  std::string name = {};      // of its parameters, without .weight and .bias; of an input or output
  std::string shape = {};     // "[B, T, 768]"
  std::int64_t parameters = 0, flops = 0; // every layer and step counted; a parameter counts at its first use
  std::string field = {};                 // receptive_field::text()
};

/// The operations of a model in their order, its inputs first and its outputs last. Throws fovea::error for a
/// dim of the model without a size.
std::vector<described_node> described(const graph_view& g, const char* name, std::span<const dim_size> sizes,
                                      const dim& time);

/// Prints a model as a table: operations with their names, shapes, parameters, FLOPs at the given sizes, and
/// how many steps along `time` each value can see (its own step counts). Below it stand the parameters and
/// words that no output depends on, where there are some. For example
///
///   describe<T>(gpt<small>, {{B, 1}, {T, 128}}, std::cout);
void describe(const graph_view& g, const char* name, std::span<const dim_size> sizes, const dim& time,
              std::ostream& out);
template <dim time, class M>
void describe(const M& model, dim_sizes sizes, std::ostream& out) {
  describe(M::view, model.name, {sizes.begin(), sizes.size()}, time, out);
}

/// Writes a model's graph in Graphviz's language: an operation a box with its parameters, a repeat or scan a
/// frame around its body.
void draw(const graph_view& g, const char* name, std::ostream& out);
template <class M>
void draw(const M& model, std::ostream& out) {
  draw(M::view, model.name, out);
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::describe, core::draw;
} // namespace fovea
