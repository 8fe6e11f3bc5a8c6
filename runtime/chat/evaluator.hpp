#pragma once

#include <fovea/runtime/chat/tree.hpp>

#include <ctime>
#include <string>
#include <utility>
#include <vector>

namespace fovea::core::jinja {

/// What a template may do before it is stopped: steps of the evaluator, each also for so many bytes that it goes
/// through; and how deep it calls itself.
constexpr std::size_t most_steps = 4'000'000, bytes_of_step = 64, most_calls = 1000;

/// The text that a template makes of these variables. Throws chat_error that begins with `name` and the line.
std::string rendered(const node& whole, std::vector<std::pair<std::string, value>> variables,
                     const std::tm& now, const std::string& name);

} // namespace fovea::core::jinja
