#include <fovea/runtime/describe/table.hpp>

#include <algorithm>
#include <array>
#include <iomanip>
#include <sstream>

namespace fovea::core::detail {
namespace {

/// Columns in characters, which is what terminals align: code points here.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

} // namespace

std::string grouped(std::int64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string rounded(double number) {
  static constexpr std::array<const char*, 6> units{"", " k", " M", " G", " T", " P"};
  std::size_t unit = 0;
  for (; number >= 999.5 && unit + 1 < units.size(); ++unit) number /= 1000;
  std::ostringstream text;
  text << std::fixed
       << std::setprecision(unit == 0 || number >= 99.95 ? 0
                            : number >= 9.995            ? 1
                                                         : 2)
       << number << units[unit];
  return text.str();
}

std::string rounded(double number, const char* of) {
  std::string text = rounded(number);
  if (text.find(' ') == std::string::npos) text += ' ';
  return text + of;
}

void table::add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

void table::print(std::ostream& out) const {
  std::vector<std::size_t> widths(to_the_right_.size());
  for (const auto& cells : rows_)
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], width_of(cells[i]));
  for (const auto& cells : rows_) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::string space(widths[i] - width_of(cells[i]), ' ');
      line += to_the_right_[i] ? space + cells[i] : cells[i] + space;
      line += "  ";
    }
    line.resize(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  }
}

} // namespace fovea::core::detail
