#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace forecast_program {

/// Seconds since 1970 of a time as ISO 8601 writes it: a year, a month, a day, and of a day the time, such as 2024,
/// 2024-02, 2024/02/29, 20240229, 2024-02-29 18:30 and 2024-02-29T18:30:00Z. Nothing for any other text.
std::optional<long long> seconds_of(std::string_view time);

/// The next `count` times, written as the last one is, where all are so many seconds, months or years apart; none
/// where they are not.
std::vector<std::string> times_after(std::span<const std::string> times, std::size_t count);

} // namespace forecast_program
