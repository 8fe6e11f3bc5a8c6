#pragma once

#include <memory>
#include <string>

#include <fovea/dsl.hpp>

/// The sentence that a declaration is refused with, without the place that it begins with; empty where it is
/// not. It is made when the program runs: compile_fail/ shows that the same sentence is a compiler's error.
template <class F>
std::string refused(F declare) {
  const auto g = std::make_unique<fovea::graph>();
  declare(*g);
  const std::string text = g->error.text;
  const std::size_t place = text.find(": ");
  return place == std::string::npos ? text : text.substr(place + 2);
}
