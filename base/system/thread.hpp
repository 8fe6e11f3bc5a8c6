#pragma once

#include <cstddef>
#include <limits>

#ifdef __wasm_atomics__
#include <fovea/base/system/wasm/thread.hpp>
#else
#include <thread>
#endif

namespace fovea::core::system {

#ifdef __wasm_atomics__

/// A page starts threads once, for all nets: one thread calls them, one net at a time.
inline constexpr bool shares_threads = true;

#else

/// A thread that a pool starts and joins.
using thread = std::thread;

/// Whether all nets have the same threads; else each starts its own.
inline constexpr bool shares_threads = false;

/// The most threads that a pool may have now, its caller's among them.
constexpr std::size_t most_threads() noexcept {
#ifdef __wasi__
  return 1;
#else
  return std::numeric_limits<std::size_t>::max();
#endif
}

#endif

} // namespace fovea::core::system
