// Says which of some labels fits a picture best, by a CLIP that has learned none of them.

#include "classifier.hpp"
#include "drawing.hpp"

#include <picture/canvas.hpp>
#include <picture/resize.hpp>
#include <program/program.hpp>
#include <program/text.hpp>
#include <terminal/terminal.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/system/terminal.hpp>
#include <fovea/base/utf8.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using namespace classify_image;

struct arguments {
  fs::path model;
  std::vector<std::string> pictures;
  std::string labels_file;
  std::vector<std::string> labels, prompts{"a photo of a {}"};
  std::size_t top = 5;
  fs::path drawing;
  int threads = 0;
  bool json = false;
};

void declare(CLI::App& app, arguments& a) {
  app.add_option("MODEL_FOLDER", a.model,
                 "A CLIP as Hugging Face has it: config.json, model.safetensors, tokenizer.json, "
                 "processor_config.json or preprocessor_config.json")
      ->required();
  app.add_option("PICTURE", a.pictures, "PNG, JPEG, PPM or PGM")->required();
  app.add_option("--labels", a.labels, "Labels between commas: \"cat,dog\"")->allow_extra_args(false);
  app.add_option("--labels-file", a.labels_file, "A label on each line; -: the standard input");
  app.add_option("--prompt", a.prompts,
                 "What is said of a label, which stands where {} is; of several the mean counts")
      ->allow_extra_args(false)
      ->capture_default_str();
  app.add_option("--top", a.top, "How many labels to print of each picture")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--picture", a.drawing,
                 "Draw the pictures, the first 24, with bars of their labels (.svg, .png)");
  app.add_option("--threads", a.threads, "0: every processor")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  app.add_flag("--json", a.json, "Print a line of JSON for each picture");
}

std::vector<std::string> labels_of(const arguments& a) {
  if (a.labels.empty() == a.labels_file.empty())
    throw fovea::error("expected either --labels or --labels-file (--help lists the options)");
  std::vector<std::string> all;
  for (const std::string& list : a.labels)
    for (std::string& label : between_commas(list)) all.push_back(std::move(label));
  if (a.labels_file.empty()) return all;
  std::vector<std::string> lines = program::lines_of(a.labels_file);
  std::erase(lines, "");
  return lines;
}

std::string report(const std::string& name, const std::vector<judged_label>& labels, bool as_json) {
  if (as_json) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& [label, probability] : labels)
      list.push_back({{"label", label}, {"probability", probability}});
    return nlohmann::json{{"picture", name}, {"labels", list}}.dump() + "\n";
  }
  std::string text = name + "\n";
  for (const auto& [label, probability] : labels)
    text += fmt::format("  {:5.1f} %  {}\n", 100 * probability, label);
  return text;
}

void classify(const arguments& a) {
  constexpr std::size_t most_drawn = 24;
  if (!a.drawing.empty()) picture::expect_ending(a.drawing);
  const std::vector<std::string> labels = labels_of(a);
  const auto encoder = clip_program::open_encoder(a.model, a.threads);
  const classifier judge(*encoder, labels, a.prompts);
  std::vector<judged_picture> drawn;
  std::vector<std::string> problems; // of pictures that cannot be read
  {
    terminal::progress_bar bar("classifying", "pictures", a.pictures.size());
    const bool shows = !fovea::core::system::is_terminal(stdout); // which is no place for answers and a bar
    for (std::size_t i = 0; i < a.pictures.size(); ++i) {
      if (shows) bar.show(i);
      std::optional<picture::image> shown;
      try {
        shown = picture::read_image(fs::path(a.pictures[i]));
      } catch (const fovea::error& problem) {
        problems.emplace_back(problem.what());
        continue;
      }
      std::vector<judged_label> judged = judge.judged(*shown);
      judged.resize(std::min(judged.size(), a.top));
      const std::string name = fovea::core::utf8_or_replacement(a.pictures[i]);
      program::print(report(name, judged, a.json));
      if (!a.drawing.empty() && drawn.size() < most_drawn)
        drawn.push_back({name, picture::thumbnail(*shown, drawn_side), std::move(judged)});
    }
    if (shows) bar.show(a.pictures.size());
  }
  if (!drawn.empty()) draw(drawn, a.drawing);
  for (const std::string& problem : problems) program::notice("classify_image", "left out " + problem);
  if (!problems.empty())
    throw fovea::error(
        fmt::format("{} of {} pictures could not be read", problems.size(), a.pictures.size()));
}

} // namespace

int main(int count, char** words) {
  return program::run<arguments>("classify_image", "Says which of some labels fits a picture best.", count,
                                 words, declare, classify);
}
