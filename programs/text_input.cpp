#include <fovea/programs/text_input.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/json/parse_json.hpp>
#include <fovea/base/utf8.hpp>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <utility>

namespace fovea::programs {

text_input::text_input(std::vector<std::string> files, std::string field, std::string of_bytes)
    : files_(std::move(files)), field_(std::move(field)), of_bytes_(std::move(of_bytes)) {
  if (files_.empty()) files_.emplace_back("-");
  std::ios::sync_with_stdio(false); // without a buffer of its own the standard input never says what it has
  const bool all_files = std::ranges::find(files_, "-") == files_.end();
  for (const std::string& file : files_)
    if (all_files && std::filesystem::is_regular_file(file)) bytes_ += std::filesystem::file_size(file);
}

bool text_input::open_next() {
  if (opened_ == files_.size()) return false;
  const std::string& file = files_[opened_++];
  line_ = 0;
  if (file == "-") {
    name_ = "standard input";
    in_ = &std::cin;
    return true;
  }
  name_ = file;
  file_ = std::ifstream(file, std::ios::binary);
  if (!file_) throw error(file + ": cannot open: " + std::generic_category().message(errno));
  in_ = &file_;
  return true;
}

input_text text_input::text_of(std::string line) const {
  if (!line.empty() && line.back() == '\r') line.pop_back();
  std::string place = name_ + ":" + std::to_string(line_);
  try {
    core::check_utf8(line);
    if (field_.empty()) return {std::move(line), std::move(place), {}};
    const core::json_document object = core::parse_json(line);
    const auto found = object->is_object() ? object->find(field_) : object->end();
    if (!object->is_object() || found == object->end() || !found->is_string())
      throw error("expected an object whose \"" + field_ + "\" is a text");
    return {found->get<std::string>(), std::move(place), std::move(line)};
  } catch (const error& problem) {
    throw error(place + ": " + problem.what() + of_bytes_);
  }
}

nlohmann::ordered_json answer_to(const input_text& text) {
  using json = nlohmann::ordered_json;
  return text.members.empty() ? json{{"text", text.text}} : json::parse(text.members);
}

std::vector<input_text> text_input::next(std::size_t most) {
  if (problem_) std::rethrow_exception(problem_);
  std::vector<input_text> texts;
  try {
    read(most, texts);
  } catch (const error&) {
    if (texts.empty()) throw;
    problem_ = std::current_exception();
  }
  return texts;
}

void text_input::read(std::size_t most, std::vector<input_text>& texts) {
  while (texts.size() < most) {
    if (in_ == nullptr && !open_next()) break;
    if (!texts.empty() && in_->rdbuf()->in_avail() <= 0 && in_ == &std::cin) break;
    std::string line;
    if (!std::getline(*in_, line)) {
      if (in_->bad()) throw error(name_ + ": cannot be read");
      in_ = nullptr;
      continue;
    }
    ++line_;
    bytes_read_ += line.size() + 1;
    texts.push_back(text_of(std::move(line)));
  }
}

} // namespace fovea::programs
