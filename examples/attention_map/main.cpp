// Draws which words of a sentence a trained encoder relates, or the alignment that a translator has written,
// as a picture or as a page of its own.

#include "sentence_maps.hpp"

#include <picture/attention_map.hpp>
#include <program/program.hpp>
#include <program/text.hpp>

#include <fovea/base/error.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using namespace attention_map_program;

struct arguments {
  std::string text;
  fs::path from, model, out = "attention.svg";
  int layer = 0, head = 0;
  bool mean = false, words = false;
};

void declare(CLI::App& app, arguments& a) {
  app.add_option("TEXT", a.text, "A sentence, read by MiniLM");
  app.add_option("--from", a.from, "Maps that a program has written as .json, in place of a sentence");
  app.add_option("--model", a.model, "Folder of MiniLM's model.safetensors and tokenizer.json");
  app.add_option("--layer", a.layer, "Only this layer, from 1; 0: all")
      ->capture_default_str()
      ->check(CLI::Range(0, layers));
  app.add_option("--head", a.head, "Only this head, from 1; 0: all")
      ->capture_default_str()
      ->check(CLI::Range(0, heads));
  app.add_flag("--mean", a.mean, "The mean of a layer's heads");
  app.add_flag("--words", a.words, "Leave out [CLS] and [SEP], which many heads rest on");
  app.add_option("--out", a.out, "The picture (.svg, .png), page (.html) or data (.json)")
      ->capture_default_str();
}

/// Where `make demo` leaves MiniLM: beside the folder of the programs.
fs::path default_model() {
  return fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "models" / "minilm";
}

/// The keys that are looked at most, in words.
std::string strongest(const picture::attention_map& map) {
  std::string text;
  for (std::size_t i = 0; i < map.rows.size(); ++i) {
    std::size_t most = 0;
    for (std::size_t j = 1; j < map.columns.size(); ++j)
      if (map.at(i, j) > map.at(i, most)) most = j;
    text += fmt::format("  {} -> {}  {:.2f}\n", map.rows[i], map.columns[most], map.at(i, most));
  }
  return text;
}

void run(const arguments& a) {
  if (a.text.empty() == a.from.empty())
    throw fovea::error("expected either a text or --from a file (--help lists the options)");
  std::vector<picture::attention_map> maps;
  if (!a.from.empty()) {
    maps = picture::read_attention_maps(a.from);
  } else {
    const fs::path folder = a.model.empty() ? default_model() : a.model;
    for (const char* name : {"model.safetensors", "tokenizer.json"})
      if (!fs::exists(folder / name))
        throw fovea::error(
            (folder / name).string() +
            ": no such file; in the source folder, fetch it with: python3 cmake/fetch_minilm.py '" +
            folder.string() + "'");
    maps = maps_of_sentence(folder, a.text, {a.layer, a.head, a.mean, a.words});
  }
  picture::save(maps, a.out);
  std::string text = fmt::format("{}: {} of {} x {}\n", a.out.string(),
                                 maps.size() == 1 ? "a map" : fmt::format("{} maps", maps.size()),
                                 maps[0].rows.size(), maps[0].columns.size());
  if (maps.size() == 1) text += strongest(maps[0]);
  program::print(text);
}

} // namespace

int main(int count, char** words) {
  return program::run<arguments>("attention_map", "Draws which words of a sentence look at which.", count,
                                 words, declare, run);
}
