#pragma once

#include <fovea/runtime/chat/tree.hpp>

#include <string>
#include <string_view>

namespace fovea::core::jinja {

/// The tree of a template. Throws fovea::error that begins with `name` and the line, and says what was expected and
/// what was found, where the template is malformed or has what is not supported: tags, filters, tests and methods
/// that published chat templates do not have.
node_ptr parsed(std::string_view template_text, const std::string& name);

} // namespace fovea::core::jinja
