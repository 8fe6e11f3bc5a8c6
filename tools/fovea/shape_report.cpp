#include "shape_report.hpp"

#include "declared_models.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace tool {

namespace {

namespace fs = std::filesystem;

fs::path full_path(const std::string& path, const fs::path& folder) {
  std::error_code none;
  const fs::path found = fs::weakly_canonical(folder / path, none);
  return found.empty() ? fs::path(path) : found;
}

/// The declarations of source files, each read once.
class sources {
public:
  const std::vector<declared_model>& of(const std::string& path) {
    const auto [found, is_new] = read_.try_emplace(path);
    if (is_new) {
      std::stringstream text;
      text << std::ifstream(path).rdbuf();
      found->second = declared_models_in(text.str());
    }
    return found->second;
  }

private:
  std::map<std::string, std::vector<declared_model>> read_;
};

/// The call of model() around an input of a model, else around another of its expressions, gives its name.
std::string name_of(const model_text& model, sources& source) {
  const auto around = [&](const std::string& file, int line) -> const declared_model* {
    for (const declared_model& one : source.of(file))
      if (one.first_line <= line && line <= one.last_line) return &one;
    return nullptr;
  };
  for (const auto& [file, line] : model.inputs)
    if (const declared_model* found = around(file, line)) return found->name;
  for (const expression& one : model.expressions)
    if (const declared_model* found = around(one.file, one.line)) return found->name;
  return "a model";
}

/// A second model of one name, as another instance of a template is, gets a number.
std::string unique_name(const std::string& name, const std::vector<std::string>& taken) {
  std::string unique = name;
  for (int i = 2; std::find(taken.begin(), taken.end(), unique) != taken.end(); ++i)
    unique = fmt::format("{} #{}", name, i);
  return unique;
}

/// layer.0.ln and layer.1.ln are layer.*.ln.
std::string without_numbers(const std::string& name) {
  std::string made;
  std::stringstream parts(name);
  for (std::string part; std::getline(parts, part, '.');) {
    const bool number =
        std::all_of(part.begin(), part.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    made += (made.empty() ? "" : ".") + (number ? "*" : part);
  }
  return made;
}

/// Of models that differ in shapes alone, one row tells what is unused.
expression without_shape(expression what) {
  what.shape.clear();
  return what;
}

/// Where a sentence that knows only its file's name has its place: in that file of the model, else in the one
/// that is looked at.
std::string file_of(const mistake& found, const model_text& model, const fs::path& file) {
  for (const std::string& path : model.files)
    if (fs::path(path).filename() == found.file) return path;
  return file.string();
}

/// The rows of one line. What several layers of a loop give alike is one row.
class line_rows {
public:
  void reach(std::size_t model) { reached_.insert(model); }
  void add(const expression& what, std::size_t model) {
    reach(model);
    const std::string name = without_numbers(what.name);
    for (shape_report::row& row : rows_) {
      if (row.what.word != what.word || row.what.type != what.type || row.what.shape != what.shape) continue;
      if (without_numbers(row.what.name) != name) continue;
      if (row.what.name != what.name) row.what.name = name;
      if (row.models.back() != model) row.models.push_back(model);
      return;
    }
    rows_.push_back({what, {model}});
  }
  void move_to(std::vector<shape_report::row>& rows) {
    for (shape_report::row& row : rows_) {
      row.in_all = row.models.size() == reached_.size();
      rows.push_back(std::move(row));
    }
  }

private:
  std::vector<shape_report::row> rows_;
  std::set<std::size_t> reached_;
};

/// As in `linear "mlp.up"`.
std::string word_text(const expression& what) {
  return what.name.empty() ? what.word : fmt::format("{} \"{}\"", what.word, what.name);
}

/// Says which models a row is of where others reach its line, too.
std::string models_text(const shape_report::row& row, const std::vector<std::string>& names) {
  if (row.in_all) return "";
  std::vector<std::string> own;
  for (const std::size_t model : row.models) own.push_back(names[model]);
  return fmt::format(" in {}", fmt::join(own, ", "));
}

std::string shape_text(const expression& what) { return fmt::format("[{}]", fmt::join(what.shape, ", ")); }

/// A size is a number, where it is one.
nlohmann::json size_of(const std::string& dim) {
  const bool number =
      std::all_of(dim.begin(), dim.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  if (number && dim.size() < 19) return std::stoll(dim);
  return dim;
}

nlohmann::ordered_json sentences_of(const std::vector<mistake>& found) {
  nlohmann::ordered_json made = nlohmann::ordered_json::array();
  for (const mistake& one : found)
    made.push_back(
        nlohmann::ordered_json{{"file", one.file}, {"line", one.line}, {"sentence", one.sentence}});
  return made;
}

} // namespace

shape_report report_of(const fs::path& file, const fs::path& folder, std::vector<model_text> models,
                       const report_wishes& wishes) {
  shape_report report{file, {}, {}, {}, {}};
  sources source;
  std::map<std::pair<std::string, int>, line_rows> lines, unused;
  for (std::size_t i = 0; i < models.size(); ++i) {
    model_text& model = models[i];
    for (std::string& path : model.files) path = full_path(path, folder).string();
    for (auto& [path, line] : model.inputs) path = full_path(path, folder).string();
    for (expression& one : model.expressions) one.file = full_path(one.file, folder).string();
    report.models.push_back(unique_name(name_of(model, source), report.models));
    for (const expression& one : model.expressions) {
      if (!wishes.all_files && one.file != file) continue;
      const std::pair<std::string, int> line{one.file == file ? "" : one.file, one.line};
      lines[line].add(one, i);
      if (one.unused)
        unused[line].add(without_shape(one), i);
      else
        unused[line].reach(i);
    }
    if (model.error.empty()) continue;
    mistake found = placed_sentence(model.error).value_or(mistake{"", 1, model.error});
    found.file = file_of(found, model, file);
    report.mistakes.push_back(std::move(found));
  }
  for (auto& [place, line] : lines) line.move_to(report.rows);
  if (!wishes.unused) return report;
  std::vector<shape_report::row> rows;
  for (auto& [place, line] : unused) line.move_to(rows);
  for (const shape_report::row& row : rows)
    report.warnings.push_back(
        {row.what.file, row.what.line,
         "no output depends on " + word_text(row.what) + models_text(row, report.models)});
  return report;
}

std::string text_of(const shape_report& report, const std::string& shown) {
  struct printed {
    std::string place, word, shape;
  };
  std::vector<printed> lines;
  std::size_t places = 0, words = 0;
  for (const shape_report::row& row : report.rows) {
    const expression& e = row.what;
    printed line;
    line.place = fmt::format("{}:{}:", e.file == report.file ? shown : e.file, e.line);
    line.word = word_text(e);
    line.shape = shape_text(e);
    if (e.type != "float32") line.shape += ' ' + e.type;
    line.shape += models_text(row, report.models);
    places = std::max(places, line.place.size());
    words = std::max(words, line.word.size());
    lines.push_back(std::move(line));
  }
  std::string text;
  for (const printed& line : lines)
    text += fmt::format("{:<{}} {:<{}}  {}\n", line.place, places, line.word, words, line.shape);
  return text;
}

nlohmann::ordered_json json_of(const shape_report& report) {
  nlohmann::ordered_json made = {{"file", report.file.string()},
                                 {"models", report.models},
                                 {"expressions", nlohmann::json::array()},
                                 {"errors", sentences_of(report.mistakes)},
                                 {"warnings", sentences_of(report.warnings)}};
  for (const shape_report::row& row : report.rows) {
    nlohmann::json shape = nlohmann::json::array(), models = nlohmann::json::array();
    for (const std::string& dim : row.what.shape) shape.push_back(size_of(dim));
    for (const std::size_t model : row.models) models.push_back(report.models[model]);
    made["expressions"].push_back(nlohmann::ordered_json{{"file", row.what.file},
                                                         {"line", row.what.line},
                                                         {"word", row.what.word},
                                                         {"name", row.what.name},
                                                         {"type", row.what.type},
                                                         {"shape", shape},
                                                         {"models", models},
                                                         {"in_all_models", row.in_all}});
  }
  return made;
}

nlohmann::ordered_json sarif_of(const shape_report& report) {
  using json = nlohmann::ordered_json;
  json results = json::array(), rules = json::array();
  std::set<std::string> described;
  const auto add = [&](const char* kind, const char* level, const char* about, const auto& found) {
    for (const mistake& one : found) {
      const std::string number = number_of(one.sentence), id = number.empty() ? kind : number;
      if (described.insert(id).second)
        rules.push_back(json{{"id", id}, {"shortDescription", {{"text", about}}}});
      const json place = {{"artifactLocation", {{"uri", "file://" + one.file}}},
                          {"region", {{"startLine", one.line}}}};
      results.push_back(json{{"ruleId", id},
                             {"level", level},
                             {"message", {{"text", one.sentence}}},
                             {"locations", json::array({json{{"physicalLocation", place}}})}});
    }
  };
  add("ill-formed-model", "error", "A model does not fit together", report.mistakes);
  add("unused", "warning", "No output of a model depends on a parameter or a word", report.warnings);
  const json driver = {{"name", "fovea"}, {"rules", rules}};
  const json run = {{"tool", {{"driver", driver}}}, {"results", results}};
  return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
          {"version", "2.1.0"},
          {"runs", json::array({run})}};
}

} // namespace tool
