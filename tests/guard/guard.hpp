#pragma once

// Memory between pages that nobody may touch. Test programs have it in the place of the library's own
// (base/memory.hpp): what leaves the memory of a net, a stream or its weights ends the program, in any
// build.

#include <cstddef>

namespace fovea::core::test {

/// Which end of memory lies at a page that may be neither read nor written.
enum class guarded_end { last, first };

/// `bytes` of memory, bytes 0xff that make floats no numbers, with such a page at either side, one of them
/// right at the end that is asked for. The bytes that are left before the other page must stay as they are.
/// Throws std::bad_alloc.
void* allocate_guarded(std::size_t bytes, guarded_end end);

/// Gives it back; null is nothing. Ends the program where a byte beside it was written.
void free_guarded(void* memory) noexcept;

} // namespace fovea::core::test
