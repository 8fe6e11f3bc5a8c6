#include <fovea/runtime/chat/value.hpp>

#include <fovea/base/utf8.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <utf8proc.h>

// Python's str and repr.

namespace fovea::core::jinja {
namespace {

bool is_printable(std::uint32_t point) {
  if (point == ' ') return true;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(point))) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
      return false;
    default:
      return true;
  }
}

void quote(const std::string& text, std::string& to) {
  const char mark = text.find('\'') != std::string::npos && text.find('"') == std::string::npos ? '"' : '\'';
  to += mark;
  for (std::size_t at = 0; at < text.size();) {
    const code_point point = code_point_at(text, at);
    if (text[at] == mark || text[at] == '\\')
      (to += '\\') += text[at];
    else if (text[at] == '\n')
      to += "\\n";
    else if (text[at] == '\r')
      to += "\\r";
    else if (text[at] == '\t')
      to += "\\t";
    else if (is_printable(point.value))
      to.append(text, at, point.bytes);
    else {
      std::array<char, 11> escape{};
      std::snprintf(escape.data(), escape.size(),
                    point.value < 0x100     ? "\\x%02x"
                    : point.value < 0x10000 ? "\\u%04x"
                                            : "\\U%08x",
                    static_cast<unsigned>(point.value));
      to += escape.data();
    }
    at += point.bytes;
  }
  to += mark;
}

void represent(const value& v, std::string& to) {
  const auto between = [&](std::size_t i) {
    if (i > 0) to += ", ";
  };
  if (const std::string* text = v.text()) {
    quote(*text, to);
  } else if (const list* l = v.items()) {
    to += l->is_tuple ? '(' : '[';
    for (std::size_t i = 0; i < l->items.size(); ++i) {
      between(i);
      represent(l->items[i], to);
    }
    if (l->is_tuple && l->items.size() == 1) to += ',';
    to += l->is_tuple ? ')' : ']';
  } else if (const dict* d = v.members()) {
    to += '{';
    for (std::size_t i = 0; i < d->members.size(); ++i) {
      between(i);
      quote(d->members[i].first, to);
      to += ": ";
      represent(d->members[i].second, to);
    }
    to += '}';
  } else {
    to += v.is_undefined() ? "Undefined" : printed(v);
  }
}

} // namespace

/// The fewest digits that say which number it is; an exponent where Python writes one.
std::string printed(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  std::array<char, 512> text{};
  const double size = std::abs(number);
  const bool plain = size == 0 || (size >= 1e-4 && size < 1e16);
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number,
                                 plain ? std::chars_format::fixed : std::chars_format::scientific)
                       .ptr;
  std::string made(text.data(), end);
  if (plain && made.find('.') == std::string::npos) made += ".0";
  return made;
}

std::string printed(const value& v) {
  if (v.is_undefined()) return "";
  if (v.is_none()) return "None";
  if (const bool* truth = v.truth()) return *truth ? "True" : "False";
  if (const double* real = v.real()) return printed(*real);
  if (v.is_integer()) return std::to_string(v.integer());
  if (const std::string* text = v.text()) return *text;
  if (v.names() != nullptr || v.call() != nullptr)
    throw error("expected something that has a text; found " + described(v));
  std::string made;
  represent(v, made);
  return made;
}

} // namespace fovea::core::jinja
