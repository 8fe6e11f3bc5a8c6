#include <fovea/base/read_number.hpp>

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <string>
#include <type_traits>

#ifndef __cpp_lib_to_chars
#include <locale.h>
#if __has_include(<xlocale.h>)
#include <xlocale.h>
#endif
#endif

namespace fovea::core {
namespace {

#ifdef __cpp_lib_to_chars

template <std::floating_point number>
std::errc read(std::string_view text, number& to, std::chars_format how) {
  return detail::read_by_from_chars(text, to, how);
}

#else

// A standard library whose from_chars reads no floating-point number yet, as LLVM's before version 20. What strtod reads beside is
// refused: blanks and a plus in front, and 0x where it is not asked for.
template <std::floating_point number>
std::errc read(std::string_view text, number& to, std::chars_format how) {
  const bool negative = text.starts_with('-');
  const std::string_view digits = text.substr(negative);
  const auto is = [&](int (*of_kind)(int)) { return of_kind(static_cast<unsigned char>(digits[0])) != 0; };
  if (digits.empty() || !(is(std::isalnum) || digits[0] == '.') ||
      digits.find_first_of("xX") != std::string_view::npos)
    return std::errc::invalid_argument;
  const std::string written = std::string(negative ? "-" : "") +
                              (how == std::chars_format::hex && is(std::isxdigit) ? "0x" : "") +
                              std::string(digits);
  static const locale_t classic = ::newlocale(LC_ALL_MASK, "C", locale_t{});
  char* end = nullptr;
  number value;
  if constexpr (std::is_same_v<number, float>)
    value = ::strtof_l(written.c_str(), &end, classic);
  else
    value = ::strtod_l(written.c_str(), &end, classic);
  if (end != written.c_str() + written.size()) return std::errc::invalid_argument;
  const bool all_zeros =
      digits.substr(0, digits.find_first_of("eEpP")).find_first_not_of("0.") == std::string_view::npos;
  const bool named = std::string_view("iInN").find(digits[0]) != std::string_view::npos;
  if (!named && (std::isinf(value) || (value == 0 && !all_zeros))) return std::errc::result_out_of_range;
  to = value;
  return {};
}

#endif

} // namespace

std::errc read_number(std::string_view text, float& to, std::chars_format how) { return read(text, to, how); }
std::errc read_number(std::string_view text, double& to, std::chars_format how) {
  return read(text, to, how);
}

} // namespace fovea::core
