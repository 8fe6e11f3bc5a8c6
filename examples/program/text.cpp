#include "text.hpp"

#include <fovea/runtime/error.hpp>
#include <fovea/runtime/tokenizers/utf8.hpp>

#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>

namespace program {

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream opened;
  if (file != "-") {
    opened.open(file, std::ios::binary);
    if (!opened) throw fovea::error(file + ": cannot be read");
  }
  std::istream& in = file == "-" ? std::cin : opened;
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    try {
      fovea::check_utf8(line);
    } catch (const fovea::error& problem) {
      throw fovea::error((file == "-" ? "standard input" : file) + ":" + std::to_string(lines.size() + 1) +
                         ": " + problem.what());
    }
    lines.push_back(std::move(line));
  }
  if (in.bad() || (lines.empty() && std::filesystem::is_directory(file)))
    throw fovea::error(file + ": cannot be read");
  return lines;
}

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw std::runtime_error("cannot write to the standard output");
}

void notice(const std::string& name, const std::string& text) {
  std::string line = fovea::utf8_or_replacement(name + ": " + text);
  for (char& c : line)
    if (std::iscntrl(static_cast<unsigned char>(c))) c = ' ';
  std::fprintf(stderr, "%s\n", line.c_str());
}

} // namespace program
