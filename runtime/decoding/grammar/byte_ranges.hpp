#pragma once

#include <string>
#include <utility>
#include <vector>

namespace fovea::core::grammar {

/// Bytes one after another, each from a first to a last.
using byte_ranges = std::vector<std::pair<unsigned char, unsigned char>>;

/// Appends the texts from `low` to `high`, of equally many bytes, in their order, as few sequences. All bytes but the
/// first go from `least` to `most`.
void append_between(const std::string& low, const std::string& high, unsigned char least, unsigned char most,
                    std::vector<byte_ranges>& made);

} // namespace fovea::core::grammar
