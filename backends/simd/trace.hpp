#pragma once

namespace fovea::core::simd {

/// Where the environment has FOVEA_PROFILE=FILE, all calls of the program from the first time on are written there, in
/// the format of trace events that chrome://tracing and Perfetto open, until the program ends or the file has a
/// million events. A file that cannot be written is a line on the standard error, and the program goes on without.
void write_trace_if_asked();

} // namespace fovea::core::simd
