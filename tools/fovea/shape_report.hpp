#pragma once

#include "compiler_sentence.hpp"
#include "model_text.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace tool {

/// What is known of the models of one file.
struct shape_report {
  struct row {
    expression what;
    std::vector<std::size_t> models; // that give it this shape
    bool in_all = true;              // that reach its line
  };
  std::filesystem::path file;
  std::vector<std::string> models; // their names, each once
  std::vector<row> rows;           // those of the file first; by line, and in it as declared
  std::vector<mistake> mistakes;
};

/// Joins models to one report. Paths that are not absolute start at `folder`. Rows of other files are left
/// out unless `all_files`.
shape_report report_of(const std::filesystem::path& file, const std::filesystem::path& folder,
                       std::vector<model_text> models, bool all_files);

/// One line a row, as in `gpt.cpp:9: layer_norm "h.*.ln_1" [B, T, 768]`; the file is called `shown`.
std::string text_of(const shape_report& report, const std::string& shown);
/// An object with file, models, expressions and errors.
std::string json_of(const shape_report& report);
/// The mistakes in the Static Analysis Results Interchange Format 2.1.0.
std::string sarif_of(const shape_report& report);

} // namespace tool
