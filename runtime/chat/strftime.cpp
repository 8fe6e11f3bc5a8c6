#include <fovea/runtime/chat/strftime.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>

#include <array>

namespace fovea::core::jinja {

std::string time_text(const std::string& format, const std::tm& time) {
  constexpr std::string_view known = "aAbBcdHIjmMpSUwWxXyY%";
  std::string made;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      made += format[i];
      continue;
    }
    const std::string_view field(format.data() + i, i + 1 < format.size() ? 2 : 1);
    if (field.size() < 2 || known.find(field[1]) == std::string_view::npos)
      throw error("strftime_now: expected % with one of " + std::string(known) + "; found " +
                  in_quotes(field));
    std::array<char, 128> text{};
    made.append(text.data(), std::strftime(text.data(), text.size(), std::string(field).c_str(), &time));
    ++i;
  }
  return made;
}

} // namespace fovea::core::jinja
