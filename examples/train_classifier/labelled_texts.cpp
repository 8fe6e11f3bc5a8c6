#include "labelled_texts.hpp"

#include <fovea/base/error.hpp>
#include <fovea/base/file_path.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace train_classifier {
namespace {

bool has_word(const std::string& text) { return text.find_first_not_of(" \t") != std::string::npos; }

} // namespace

labelled_texts read_texts(const std::vector<std::string>& sources, program::encoding encoding,
                          std::size_t most_labels) {
  std::vector<std::pair<std::string, std::string>> read; // label, text
  const auto add_lines = [&](const std::string& file, auto label_of) {
    std::size_t number = 0;
    for (const std::string& line : program::lines_of(file, encoding)) {
      ++number;
      if (has_word(line)) read.push_back(label_of(line, fmt::format("{}:{}", file, number)));
    }
  };
  for (const std::string& source : sources) {
    const std::size_t equals = source.find('=');
    if (sources.size() == 1 && equals == std::string::npos) {
      add_lines(source, [](const std::string& line, const std::string& where) {
        const std::size_t tab = line.find('\t');
        if (tab == 0 || tab == std::string::npos)
          throw fovea::error(where + ": expected a label, a tab and a text");
        return std::pair(line.substr(0, tab), line.substr(tab + 1));
      });
    } else if (equals == 0 || equals == std::string::npos) {
      throw fovea::error(source + ": expected LABEL=FILE, or one file of labelled lines alone");
    } else {
      add_lines(source.substr(equals + 1), [&](const std::string& line, const std::string&) {
        return std::pair(source.substr(0, equals), line);
      });
    }
  }
  labelled_texts made;
  for (const auto& [label, text] : read)
    if (has_word(text)) made.labels.push_back(label);
  std::ranges::sort(made.labels);
  made.labels.erase(std::ranges::unique(made.labels).begin(), made.labels.end());
  if (made.labels.size() < 2 || made.labels.size() > most_labels)
    throw fovea::error(fmt::format("{}: expected 2 to {} different labels, found {}", sources.front(),
                                   most_labels, made.labels.size()));
  for (auto& [label, text] : read)
    if (has_word(text)) {
      made.label_of.push_back(
          static_cast<int>(std::ranges::lower_bound(made.labels, label) - made.labels.begin()));
      made.texts.push_back(std::move(text));
    }
  return made;
}

std::vector<std::filesystem::path> files_of(const std::vector<std::string>& sources) {
  std::vector<std::filesystem::path> files;
  for (const std::string& source : sources) // all of it where there is no =
    files.push_back(fovea::core::file_path(source.substr(source.find('=') + 1)));
  return files;
}

} // namespace train_classifier
