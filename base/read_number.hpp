#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>

namespace fovea::core {

namespace detail {

template <class number, class... format>
std::errc read_by_from_chars(std::string_view text, number& to, format... how) {
  number value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, how...);
  if (problem == std::errc() && end != text.data() + text.size()) return std::errc::invalid_argument;
  if (problem == std::errc()) to = value;
  return problem;
}

} // namespace detail

/// Reads a text that is a number from end to end, as std::from_chars does, in no language's manner of writing. Gives
/// std::errc() where it is one, and says result_out_of_range of a number that the type cannot hold; `to` is then as before.
template <std::integral number>
std::errc read_number(std::string_view text, number& to) {
  return detail::read_by_from_chars(text, to);
}
std::errc read_number(std::string_view text, float& to, std::chars_format = std::chars_format::general);
std::errc read_number(std::string_view text, double& to, std::chars_format = std::chars_format::general);

/// The number that a text is from end to end; nothing where it is none, or one that the type cannot hold.
template <class number, class... format>
std::optional<number> number_in(std::string_view text, format... how) {
  number value{};
  return read_number(text, value, how...) == std::errc() ? std::optional(value) : std::nullopt;
}

} // namespace fovea::core
