#include <fovea/programs/text_input.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/file_path.hpp>
#include <fovea/base/json/parse_json.hpp>
#include <fovea/base/utf8.hpp>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <utility>

namespace fovea::programs {
namespace {

std::string text_in(const nlohmann::json& object, const std::string& field) {
  const bool is_object = object.is_object();
  const auto found = is_object ? object.find(field) : object.end();
  if (is_object && found != object.end() && found->is_string()) return *found;
  throw error("expected an object whose \"" + field + "\" is a text; found " +
              (!is_object              ? core::shown(object)
               : found == object.end() ? "none"
                                       : core::shown(*found)));
}

} // namespace

text_input::text_input(std::vector<std::string> files, reading how)
    : files_(std::move(files)), how_(std::move(how)) {
  if (files_.empty()) files_.emplace_back("-");
  std::ios::sync_with_stdio(false); // without a buffer of its own the standard input never says what it has
  const bool all_files = std::ranges::find(files_, "-") == files_.end();
  for (const std::string& file : files_)
    if (const std::filesystem::path path = core::file_path(file);
        all_files && std::filesystem::is_regular_file(path))
      bytes_ += std::filesystem::file_size(path);
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
  file_ = std::ifstream(std::filesystem::path(core::file_path(file)), std::ios::binary);
  if (!file_) throw error(file + ": cannot open: " + std::generic_category().message(errno));
  in_ = &file_;
  return true;
}

input_text text_input::text_of(std::string line) const {
  if (!line.empty() && line.back() == '\r') line.pop_back();
  std::string place = name_ + ":" + std::to_string(line_);
  try {
    core::check_utf8(line);
    if (how_.field.empty()) return {std::move(line), std::move(place), {}};
    std::string text = text_in(*core::parse_json(line), how_.field);
    return {std::move(text), std::move(place), std::move(line)};
  } catch (const error& problem) {
    throw error(place + ": " + problem.what() + how_.of_bytes);
  }
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
    if (!how_.waits && !texts.empty() && in_->rdbuf()->in_avail() <= 0 && in_ == &std::cin) break;
    std::string line;
    if (!std::getline(*in_, line)) {
      if (in_->bad()) throw error(name_ + ": cannot be read");
      in_ = nullptr;
      continue;
    }
    ++line_;
    bytes_read_ += line.size() + 1;
    if (line_ == 1 && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3); // by which some editors mark UTF-8
    if (how_.part.has(++lines_)) texts.push_back(text_of(std::move(line)));
  }
}

} // namespace fovea::programs
