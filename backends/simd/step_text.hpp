#pragma once

#include <fovea/backends/simd/net_view.hpp>
#include <fovea/dsl/sentence.hpp>
#include <fovea/weights/weight_format.hpp>

namespace fovea::core::simd {

// What is told of a step of a compiled model, in words. Every program that runs models has this in it, for
// FOVEA_PROFILE: it is kept small.

/// What it computes, by word and name: "linear h.*.mlp.up (gelu)" is a product with what is fused into it,
/// "chain (+, tanh)" what is computed element by element, "repeat 6 times" a loop.
sentence text_of(const net_view& net, int step);
/// What runs it: a kernel, code of its own ("chain", "scan", "loop"), or by its word what an operation is in a graph.
const char* kernel_of(const net_view& net, int step, dim_values sizes);
/// Whether its multiplications are float32's.
bool multiplies_floats(const net_view& net, int step, dim_values sizes);
/// The format of the weights that it reads, f32 where it reads none.
weight_format format_of(const net_view& net, int step);
/// Rows x depth x columns of a product, rows x queries x keys x width of an attention, the steps of a scan, else the
/// sizes of the result.
sentence sizes_of(const net_view& net, int step, dim_values sizes);
/// The sizes of a call by symbol: "B = 1, T = 32".
sentence sizes_of_call(const net_view& net, dim_values sizes);

} // namespace fovea::core::simd
