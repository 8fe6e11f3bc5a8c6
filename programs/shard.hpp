#pragma once

#include <cstddef>
#include <string>

namespace fovea::programs {

/// The lines that one of `count` workers answers: those whose number, from 1, is `index` modulo `count`. Workers may be
/// counted from 0 or from 1.
struct shard {
  std::size_t index = 0, count = 1;
  bool has(std::size_t line) const { return line % count == index % count; }
};

/// Reads "3/16", the worker 3 of 16. Throws fovea::error.
shard shard_of(const std::string& text);

} // namespace fovea::programs
