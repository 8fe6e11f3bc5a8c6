#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tool {

/// A call model("name", ...) in a source text: a constexpr text of a model cannot hold the name, which is an
/// argument.
struct declared_model {
  std::string name;
  int first_line = 0, last_line = 0;
};

/// All of a source text, in their order. Comments and literals are passed over.
std::vector<declared_model> declared_models_in(std::string_view source);

} // namespace tool
