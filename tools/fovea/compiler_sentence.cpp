#include "compiler_sentence.hpp"

#include <regex>
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

/// What g++ says of a declaration that is no constant behind the sentence that it is none: which function or
/// value, and where.
std::optional<mistake> reason_in(const std::string& output) {
  static const std::regex form(
      "^(.+?):([0-9]+):[0-9]+: error: (call to non-.*|the value of .* is not usable.*)$");
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);)
    if (std::smatch found; std::regex_match(line, found, form))
      return mistake{found[1].str(), std::stoi(found[2]),
                     "the compiler cannot run this declaration: " + found[3].str() + " [F0286]"};
  return std::nullopt;
}

/// The line of the user's file that has the error, or at which a template was asked for.
int line_that_asked(const std::string& output, const std::filesystem::path& file) {
  static const std::regex place("^(.+?):([0-9]+):[0-9]*:? .*(error: |required from here|requested here)");
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);)
    if (std::smatch found; std::regex_search(line, found, place))
      if (std::filesystem::path(found[1].str()).filename() == file.filename()) return std::stoi(found[2]);
  return 1;
}

} // namespace

std::string number_of(std::string_view sentence) {
  static const std::regex form("\\[(F[0-9]{4})\\]$");
  std::match_results<std::string_view::const_iterator> found;
  return std::regex_search(sentence.begin(), sentence.end(), found, form) ? found[1].str() : "";
}

std::optional<mistake> placed_sentence(std::string_view text) {
  static const std::regex form("^([^ :]+):([0-9]+): ([^]*)$");
  std::match_results<std::string_view::const_iterator> found;
  if (!std::regex_match(text.begin(), text.end(), found, form)) return std::nullopt;
  return mistake{found[1].str(), std::stoi(found[2].str()), found[3].str()};
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
  static const std::regex unavailable("^(.+?):([0-9]+):[0-9]+: error: .* is unavailable: (.*)$");
  static const std::regex assertion(
      "^(.+?):[0-9]+:[0-9]+: error: static assertion failed(?: due to requirement '.*?')?: (.*)$");
  const std::string error = first_error(output);
  std::smatch found;
  if (const std::size_t at = error.find("ill_formed<"); at != error.npos) {
    const std::string sentence = joined_literals(error.substr(at));
    if (auto placed = placed_sentence(sentence)) return placed;
    if (!sentence.empty()) return mistake{file.string(), line_that_asked(output, file), sentence};
  } else if (std::regex_match(error, found, unavailable)) {
    if (number_of(found[3].str()) == "F0286")
      if (auto reason = reason_in(output)) return reason;
    return mistake{found[1].str(), std::stoi(found[2]), found[3].str()};
  } else if (std::regex_match(error, found, assertion)) {
    if (auto placed = placed_sentence(found[2].str())) return placed;
    if (found[1].str().find("/fovea/") != std::string::npos) // and no assertion of the user's
      return mistake{file.string(), line_that_asked(output, file), found[2].str()};
  }
  return std::nullopt;
}

} // namespace tool
