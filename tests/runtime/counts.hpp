#pragma once

#include <atomic>

namespace fovea::core::test {

/// How often the whole program has taken memory from the heap, and a lock.
extern std::atomic<long> allocations, locks;

/// Whether what C code allocates counts too: sanitizers have replaced its functions already.
extern const bool counts_all_allocations;

} // namespace fovea::core::test
