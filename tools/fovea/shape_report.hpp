#pragma once

#include "compiler_sentence.hpp"
#include "model_text.hpp"

#include <nlohmann/json.hpp>

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
  std::vector<mistake> warnings; // parameters and words that no output depends on, where asked for
};

struct report_wishes {
  bool all_files = false; // what is of included files, too
  bool unused = false;    // warn of what no output depends on
};

/// Joins models to one report. Paths that are not absolute start at `folder`.
shape_report report_of(const std::filesystem::path& file, const std::filesystem::path& folder,
                       std::vector<model_text> models, const report_wishes& wishes);

/// One line a row, as in `gpt.cpp:9: layer_norm "h.*.ln_1" [B, T, 768]`; the file is called `shown`.
std::string text_of(const shape_report& report, const std::string& shown);
/// An object with file, models, expressions, errors and warnings.
nlohmann::ordered_json json_of(const shape_report& report);
/// The mistakes and warnings in the Static Analysis Results Interchange Format 2.1.0.
nlohmann::ordered_json sarif_of(const shape_report& report);

} // namespace tool
