#pragma once

#include <fovea/programs/text_input.hpp>

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <vector>

namespace fovea::programs {

/// What a program makes of a text: what it prints or, where JSON is asked for, the members that it adds to a line.
struct text_answer {
  std::string printed = {};
  nlohmann::ordered_json members = nlohmann::ordered_json::object();
};

/// Answers each of some texts.
using text_answerer = std::function<std::vector<text_answer>(const std::vector<input_text>& texts)>;

/// The line of JSON that answers a text: what its own line held, else the text, and the members.
std::string json_line(const input_text& text, const nlohmann::ordered_json& members);

} // namespace fovea::programs
