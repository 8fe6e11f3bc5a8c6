#include "text.hpp"

#include <fovea/base/error.hpp>
#include <fovea/base/file_path.hpp>
#include <fovea/base/regular_file.hpp>
#include <fovea/base/utf8.hpp>

#include <array>
#include <cctype>
#include <cstdio>
#include <iostream>
#include <span>
#include <sstream>
#include <stdexcept>

namespace program {
namespace {

// What bytes 0x80 to 0x9f stand for; 0: nothing. All others are the code point of their number.
constexpr std::array<std::uint32_t, 32> windows_1252{
    0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017d, 0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

std::string content_of(const std::string& file) {
  const fovea::core::regular_file from{fovea::core::file_path(file)};
  std::string content(from.size(), '\0');
  from.read(std::as_writable_bytes(std::span(content)));
  return content;
}

} // namespace

std::string utf8_of_windows_1252(const std::string& bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    const bool is_own = byte < 0x80 || byte >= 0xa0;
    const std::uint32_t value = is_own ? byte : windows_1252[byte - 0x80u];
    if (value == 0 && byte != 0)
      throw fovea::error("expected Windows-1252, found byte " + std::to_string(byte) + " at offset " +
                         std::to_string(i));
    fovea::core::append_utf8(text, value);
  }
  return text;
}

std::vector<std::string> lines_of(const std::string& file, encoding from) {
  std::istringstream content;
  if (file != "-") content.str(content_of(file));
  std::istream& in = file == "-" ? std::cin : content;
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    try {
      if (from == encoding::windows_1252) line = utf8_of_windows_1252(line);
      fovea::core::check_utf8(line);
    } catch (const fovea::error& problem) {
      throw fovea::error((file == "-" ? "standard input" : file) + ":" + std::to_string(lines.size() + 1) +
                         ": " + problem.what());
    }
    lines.push_back(std::move(line));
  }
  if (in.bad()) throw fovea::error("standard input: cannot be read");
  return lines;
}

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw std::runtime_error("cannot write to the standard output");
}

void notice(const std::string& name, const std::string& text) {
  std::string line = fovea::core::utf8_or_replacement(name + ": " + text);
  for (char& c : line)
    if (std::iscntrl(static_cast<unsigned char>(c))) c = ' ';
  std::fprintf(stderr, "%s\n", line.c_str());
}

} // namespace program
