#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tool {

/// A sentence about what is ill-formed, or looks like an oversight, and where.
struct mistake {
  std::string file;
  int line = 0;
  std::string sentence;
};

/// The number that a sentence of Fovea's ends in, "F0031" of "... [F0031]"; empty: it has none.
std::string number_of(std::string_view sentence);

/// "gpt.cpp:10: cannot add ..." taken apart; the file's name is all that it has of the path.
std::optional<mistake> placed_sentence(std::string_view text);

/// Fovea's sentence in the output of g++ or clang++, where its first error has one (dsl/ill_formed.hpp). One
/// without a place of its own is at the line of `file` that asked for it.
std::optional<mistake> sentence_in(const std::string& output, const std::filesystem::path& file);

/// The first error line of a compiler's output, or its first line.
std::string first_error(const std::string& output);

} // namespace tool
