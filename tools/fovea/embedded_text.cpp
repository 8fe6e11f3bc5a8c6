#include "embedded_text.hpp"

#include "failure.hpp"

#include <string>

namespace tool {

std::string_view text_named(std::string_view name) {
  for (const embedded_text& one : embedded_texts())
    if (one.name == name) return one.text;
  throw failure("this program has no text " + std::string(name));
}

} // namespace tool
