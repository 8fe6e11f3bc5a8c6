#pragma once

#include <fovea/runtime/chat/value.hpp>

#include <optional>
#include <string_view>

namespace fovea::core::jinja {

/// A text of JSON as a value, its objects in their own order. Throws fovea::error that begins with `what` where it
/// is malformed.
value read_json(std::string_view text, const std::string& what);

/// How json.dumps of Python is told to write.
struct json_format {
  std::optional<std::size_t> indent = {};
  std::string item_end = ", ", name_end = ": ";
  bool ascii = false, sorted = false;
};
std::string json_text(const value& v, const json_format& how = {});

} // namespace fovea::core::jinja
