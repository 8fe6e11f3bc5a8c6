#include "compiler_sentence.hpp"

#include <fovea/base/read_number.hpp>

#include <sstream>

namespace tool {

namespace {

/// ill_formed<part<32>{"gpt.cpp:10: cannot add "}, part<12>{"[T, 768]"}> joined; what stands behind it is of
/// other types.
std::string joined_literals(const std::string& line) {
  std::string text;
  bool inside = false;
  int depth = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"')
      inside = !inside;
    else if (inside && line[i] == '\\' && i + 1 < line.size())
      text += line[++i];
    else if (inside)
      text += line[i];
    else if (line[i] == '<')
      ++depth;
    else if (line[i] == '>' && --depth == 0)
      break;
  }
  return text;
}

/// A number without a sign.
std::optional<int> plain_number(std::string_view text) {
  return text.starts_with('-') ? std::nullopt : fovea::core::number_in<int>(text);
}

/// "FILE:LINE" at the begin of a compiler's line, which may be megabytes long, and what stands behind it.
struct placed {
  std::string_view file, behind;
  int line = 0;
};
std::optional<placed> placed_line(std::string_view text) {
  for (std::size_t colon = text.find(':', 1), end = 0; colon < text.size(); colon = end) {
    end = text.find(':', colon + 1);
    if (end == text.npos) break;
    if (const auto line =
            plain_number(text.substr(colon + 1, end - colon - 1))) // else as behind a drive's letter
      return placed{text.substr(0, colon), text.substr(end), *line};
  }
  return std::nullopt;
}

/// What stands behind ":COLUMN: error: ", if that is how the line goes on.
std::optional<std::string_view> error_in(std::string_view behind_place) {
  constexpr std::string_view mark = ": error: ";
  const std::string_view column = behind_place.substr(1);
  const std::size_t end = column.find(':');
  if (end == column.npos || !plain_number(column.substr(0, end)) || !column.substr(end).starts_with(mark))
    return std::nullopt;
  return column.substr(end + mark.size());
}

/// What g++ says of a declaration that is no constant behind the sentence that it is none: which function or
/// value, and where.
std::optional<mistake> reason_in(const std::string& output) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);)
    if (const auto place = placed_line(line))
      if (const auto error = error_in(place->behind))
        if (error->starts_with("call to non-") ||
            (error->starts_with("the value of ") && error->find(" is not usable") != error->npos))
          return mistake{std::string(place->file), place->line,
                         "the compiler cannot run this declaration: " + std::string(*error) + " [F0286]"};
  return std::nullopt;
}

/// The line of the user's file that has the error, or at which a template was asked for.
int line_that_asked(const std::string& output, const std::filesystem::path& file) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);)
    if (const auto place = placed_line(line);
        place && std::filesystem::path(place->file).filename() == file.filename())
      for (const char* what : {" error: ", "required from here", "requested here"})
        if (place->behind.find(what) != place->behind.npos) return place->line;
  return 1;
}

/// The message of an error that says of a function that it is unavailable.
std::optional<std::string_view> unavailable_in(std::string_view error) {
  constexpr std::string_view mark = " is unavailable: ";
  const std::size_t at = error.find(mark);
  if (at == error.npos) return std::nullopt;
  return error.substr(at + mark.size());
}

/// The message of a static_assert; clang++ may say its condition before it.
std::optional<std::string_view> assertion_in(std::string_view error) {
  constexpr std::string_view begin = "static assertion failed", condition = " due to requirement '",
                             end = "': ";
  if (!error.starts_with(begin)) return std::nullopt;
  error.remove_prefix(begin.size());
  if (error.starts_with(condition)) {
    const std::size_t at = error.find(end, condition.size());
    return at == error.npos ? std::nullopt : std::optional(error.substr(at + end.size()));
  }
  return error.starts_with(": ") ? std::optional(error.substr(2)) : std::nullopt;
}

} // namespace

std::string number_of(std::string_view sentence) {
  constexpr std::size_t size = 7; // of "[F0031]"
  if (sentence.size() < size) return "";
  const std::string_view last = sentence.substr(sentence.size() - size);
  if (!last.starts_with("[F") || last.back() != ']' || !plain_number(last.substr(2, 4))) return "";
  return std::string(last.substr(1, 5));
}

std::optional<mistake> placed_sentence(std::string_view text) {
  const auto place = placed_line(text);
  if (!place || place->file.find_first_of(" :") != place->file.npos || !place->behind.starts_with(": "))
    return std::nullopt;
  return mistake{std::string(place->file), place->line, std::string(place->behind.substr(2))};
}

std::string first_error(const std::string& output) {
  std::istringstream lines(output);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (first.empty()) first = line;
    if (line.find("error: ") != line.npos) return line;
  }
  return first;
}

std::optional<mistake> sentence_in(const std::string& output, const std::filesystem::path& file) {
  const std::string error = first_error(output);
  if (const std::size_t at = error.find("ill_formed<"); at != error.npos) {
    const std::string sentence = joined_literals(error.substr(at));
    if (auto made = placed_sentence(sentence)) return made;
    if (!sentence.empty()) return mistake{file.string(), line_that_asked(output, file), sentence};
    return std::nullopt;
  }
  const auto place = placed_line(error);
  const auto said = place ? error_in(place->behind) : std::nullopt;
  if (!said) return std::nullopt;
  if (const auto sentence = unavailable_in(*said)) {
    if (number_of(*sentence) == "F0286")
      if (auto reason = reason_in(output)) return reason;
    return mistake{std::string(place->file), place->line, std::string(*sentence)};
  }
  if (const auto sentence = assertion_in(*said)) {
    if (auto made = placed_sentence(*sentence)) return made;
    if (place->file.find("/fovea/") != place->file.npos) // and no assertion of the user's
      return mistake{file.string(), line_that_asked(output, file), std::string(*sentence)};
  }
  return std::nullopt;
}

} // namespace tool
