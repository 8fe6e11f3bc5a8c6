#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tool {

/// What a user wrote as one word, with the shape that it gives.
struct expression {
  std::string file;
  int line = 0;
  std::string word, name; // the name with its scope, empty where it has none
  std::string type;
  std::vector<std::string> shape;
  bool unused = false; // no output depends on it, nor on anything else that the word gives
};

/// A model as it lies in an object file (dsl/shapes_text.hpp); of an ill-formed one what stands before the
/// mistake.
struct model_text {
  std::vector<expression> expressions;             // in the order of their declaration
  std::vector<std::string> files;                  // that its nodes are declared in
  std::vector<std::pair<std::string, int>> inputs; // where they are declared
  std::string error; // the sentence that says what is wrong, as in "gpt.cpp:10: ..."; empty where nothing is
};

/// Every model of an object file. Throws failure where one was written by headers of another version.
std::vector<model_text> models_in(std::string_view object);

} // namespace tool
