#include <fovea/runtime/training/note_numbers.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/read_number.hpp>

#include <array>
#include <charconv>
#include <cmath>

namespace fovea::core {

std::string exact_text(double number) {
  std::array<char, 40> digits{};
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), std::abs(number), std::chars_format::hex)
          .ptr;
  return std::string(std::signbit(number) ? "-" : "") + (std::isfinite(number) ? "0x" : "") +
         std::string(digits.data(), end);
}

std::optional<double> exact_number(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  if (text.starts_with('-')) return std::nullopt;
  const auto number =
      number_in<double>(text, hexadecimal ? std::chars_format::hex : std::chars_format::general);
  return number && negative ? std::optional(-*number) : number;
}

double number_in_note(const std::map<std::string, std::string>& notes, const std::string& name,
                      const std::string& where, double least, double most) {
  const auto note = notes.find(name);
  const auto number = note == notes.end() ? std::nullopt : exact_number(note->second);
  if (!number || !(*number >= least && *number <= most))
    throw error(where + ": expected a number in the note \"" + name + "\", found " +
                (note == notes.end() ? "no such note" : in_quotes(note->second)));
  return *number;
}

} // namespace fovea::core
