#pragma once

#include <fovea/runtime/decoding/grammar/expression.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
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

/// The rules of digits that end multiples, by what these are multiples of, how many digits there are and the remainder
/// of those before; none where no digits do.
using rules_of_multiples =
    std::map<std::tuple<std::int64_t, std::size_t, std::int64_t>, std::optional<std::size_t>>;

/// The multiples of `of` between bounds, from 1 to 1,000, with rules that are in `known`, or that it appends; nothing
/// where there are none.
std::optional<expression> json_integers(const number_bounds& within, std::int64_t of,
                                        std::vector<expression>& rules, rules_of_multiples& known);

/// Numbers between bounds, without an exponent and with so many digits behind the point; nothing where there are none.
std::optional<expression> json_numbers(const number_bounds& within, std::size_t digits = most_json_digits);

} // namespace fovea::core::grammar
