#pragma once

#include <memory>
#include <string>

#include <fovea/dsl.hpp>

/// A sentence without the place that it begins with and the number that it ends in.
inline std::string words_of(const std::string& sentence) {
  const std::size_t place = sentence.find(": "), number = sentence.rfind(" [F");
  const std::size_t first = place == std::string::npos ? 0 : place + 2;
  return sentence.substr(first, number == std::string::npos ? number : number - first);
}

/// The words that a declaration is refused with; empty where it is not. The sentence is made when the program
/// runs: compile_fail/ shows that the same sentence is a compiler's error.
template <class F>
std::string refused(F declare) {
  const auto g = std::make_unique<fovea::graph>();
  declare(*g);
  return words_of(g->error.text);
}
