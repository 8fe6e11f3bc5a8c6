#pragma once

#include <cstddef>

namespace fovea::core {

/// Memory that someone else lends. `allocate` returns null where it has no more, which becomes std::bad_alloc; the
/// alignment is 64 or 2 MiB. `release` takes back what it gave, from whatever thread. Both may be called from several threads.
struct memory_source {
  void* (*allocate)(void* context, std::size_t bytes, std::size_t alignment) = nullptr;
  void (*release)(void* context, void* memory) = nullptr;
  void* context = nullptr;
};

/// While it lives, what this thread makes takes its memory from the source: the weights that a net keeps in its own layout,
/// its working memory, what a stream keeps. Tables of a few KiB are the system's as ever. The source outlives all that.
///
///     const fovea::lent_memory scope(mine);
///     auto net = fovea::compile(model, weights, options);
class lent_memory {
public:
  explicit lent_memory(const memory_source& source);
  ~lent_memory();
  lent_memory(const lent_memory&) = delete;
  lent_memory& operator=(const lent_memory&) = delete;

private:
  const memory_source source_;
  const memory_source* before_;
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::lent_memory, core::memory_source;
} // namespace fovea
