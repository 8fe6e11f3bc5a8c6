#pragma once

#include <program/text.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace train_classifier {

/// Texts, each with the number of its label.
struct labelled_texts {
  std::vector<std::string> texts = {}, labels = {}; // the labels in the order of their spelling
  std::vector<int> label_of = {};
};

/// Reads `sources`: a file of lines of a label, a tab and a text; or several LABEL=FILE, files whose lines
/// all have that label. Lines without a word are left out. Throws fovea::error that names the file, and the
/// line that is not of that encoding or has no label.
labelled_texts read_texts(const std::vector<std::string>& sources, program::encoding encoding,
                          std::size_t most_labels);

/// The files of such sources.
std::vector<std::filesystem::path> files_of(const std::vector<std::string>& sources);

} // namespace train_classifier
