#pragma once

#include <fovea/runtime/decoding/grammar/expression.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::core::grammar {

/// The most digits of a whole number, so that every one is a std::int64_t, and the most behind a point.
constexpr std::size_t most_json_digits = 16;

/// A number as its decimals: those before the point without zeros at the begin, those behind it without zeros at the end.
struct decimal {
  bool is_negative = false; // never zero
  std::string whole, fraction;
};
/// Of a number in JSON, exactly.
decimal decimal_of(std::string_view number);

/// Where numbers begin or end: with the bound, or behind it.
struct number_bound {
  decimal value;
  bool is_open = false;
};
struct number_bounds {
  std::optional<number_bound> least, most;
};

/// The multiples of `of` between bounds, from 1 to 1,000, as rules that it appends; nothing where there are none.
std::optional<expression> json_integers(const number_bounds& within, std::int64_t of,
                                        std::vector<expression>& rules);

/// Numbers between bounds, without an exponent and with so many digits behind the point; nothing where there are none.
std::optional<expression> json_numbers(const number_bounds& within, std::size_t digits = most_json_digits);

} // namespace fovea::core::grammar
