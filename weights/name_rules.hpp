#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::core {

/// The indices that the `*` of `pattern` stand for in `name`, from left to right; nothing when the name
/// doesn't match. A `*` matches one or more digits.
std::optional<std::vector<long>> match_indices(std::string_view pattern, std::string_view name);

/// `pattern` with its n-th `*` replaced by indices[n], and `{i}`, `{2*i+1}`, `{i+12}`, `{i-1}` computed (i, j
/// and k are the first, second and third index), `{n}` by `part`, that of several tensors which are joined.
/// Throws fovea::error that names the pattern when it can't be read.
std::string fill_indices(std::string_view pattern, const std::vector<long>& indices,
                         std::optional<long> part = std::nullopt);

/// Whether `name` could come from `pattern` with some indices: each `*` or `{...}` matches digits, `**` any
/// text.
bool matches_some_index(std::string_view pattern, std::string_view name);

} // namespace fovea::core
