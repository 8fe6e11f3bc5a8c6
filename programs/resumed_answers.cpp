#include <fovea/programs/resumed_answers.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/json/parse_json.hpp>

#include <program/text.hpp>

#include <algorithm>
#include <cmath>

namespace fovea::programs {
namespace {

using nlohmann::json;

/// How many texts, whose answers are written, tell whether they would be answered alike now.
constexpr std::size_t looked_at = 8;

/// Whether answers are those of one model and its options: on another processor numbers differ in their last digits.
bool alike(const json& a, const json& b) {
  if (a.is_number() && b.is_number()) {
    const auto x = a.get<double>(), y = b.get<double>();
    return std::abs(x - y) <= 1e-3 + 1e-2 * std::max(std::abs(x), std::abs(y));
  }
  if (a.is_array() && b.is_array()) return std::ranges::equal(a, b, alike);
  if (!a.is_object() || !b.is_object()) return a == b;
  const auto in_b = [&](const auto& member) {
    return b.contains(member.key()) && alike(member.value(), b[member.key()]);
  };
  const auto members = a.items();
  return a.size() == b.size() && std::all_of(members.begin(), members.end(), in_b);
}

core::json_document json_of(const written_line& line) {
  try {
    return core::parse_json(line.text);
  } catch (const error& problem) {
    throw error("--resume: " + line.place + ": expected a line that --output wrote; found what is " +
                problem.what());
  }
}

void expect_alike(const written_line& line, const std::string& made, const input_text& text) {
  if (!alike(*json_of(line), *core::parse_json(made)))
    throw error("--resume: " + line.place + " has another answer to " + text.place +
                " than this program; expected the same model, weights and options as before");
}

} // namespace

void resumed_answers::take(const std::vector<input_text>& texts) {
  const std::vector<written_line> lines = written(texts.size());
  const bool are_written = lines.size() == texts.size();
  const std::size_t count = !are_written ? texts.size() : begun_ ? 0 : std::min(texts.size(), looked_at);
  const auto first = texts.begin();
  const std::vector<text_answer> answers =
      count == 0 ? std::vector<text_answer>() : answer_({first, first + static_cast<std::ptrdiff_t>(count)});
  if (!begun_)
    for (const auto& member : answers.front().members.items()) own_.insert(member.key());
  begun_ = true;

  std::string rest;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i < lines.size()) expect_answer_to(texts[i], lines[i]);
    if (i >= answers.size()) continue;
    const std::string made = json_line(texts[i], answers[i].members);
    if (i < lines.size())
      expect_alike(lines[i], made, texts[i]);
    else
      rest += made;
  }
  if (!rest.empty()) append(rest);
}

std::vector<written_line> resumed_answers::written(std::size_t most) {
  std::vector<written_line> lines;
  while (lines.size() < most) {
    std::optional<written_line> line = file_.next();
    if (!line) break;
    lines.push_back(*std::move(line));
  }
  return lines;
}

void resumed_answers::expect_answer_to(const input_text& text, const written_line& line) const {
  const core::json_document found = json_of(line);
  const core::json_document asked = core::parse_json(json_line(text, nlohmann::ordered_json::object()));
  for (const auto& [name, value] : asked->items())
    if (!own_.contains(name) && (!found->is_object() || !found->contains(name) || (*found)[name] != value))
      throw error("--resume: " + line.place + " answers another text than " + text.place +
                  "; expected the same input and shard as before");
}

void resumed_answers::append(const std::string& lines) {
  if (!appended_ && file_.lines_read() > 0)
    program::notice(program_,
                    file_.name() + ": goes on behind " + std::to_string(file_.lines_read()) + " answers");
  appended_ = true;
  file_.append(lines);
}

void resumed_answers::end() {
  if (!appended_ && file_.holds_more())
    throw error("--resume: " + file_.name() + " holds more than the answers to all " +
                std::to_string(file_.lines_read()) + " texts; expected the same input and shard as before");
  file_.flush();
}

} // namespace fovea::programs
