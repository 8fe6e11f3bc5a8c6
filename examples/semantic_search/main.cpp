// Finds the passages of some texts that are nearest to a question in meaning.

#include "cache.hpp"
#include "kept_index.hpp"
#include "nearest.hpp"
#include "report.hpp"
#include "sentence_encoder.hpp"

#include "program/program.hpp"
#include "terminal/terminal.hpp"

#include <fovea/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using namespace semantic_search;

struct arguments {
  std::string question;
  std::vector<fs::path> paths{"/usr/share/common-licenses"};
  std::size_t top = 5;
  fs::path model = default_model();
  fs::path index;
  int threads = 0;
  bool json = false;
};

void notice(const std::string& text) { program::notice("semantic_search", text); }

void declare(CLI::App& app, arguments& a) {
  app.add_option("QUESTION", a.question, "What to look for, in words")->required();
  app.add_option("PATH", a.paths, "Texts, and folders of texts (hidden files are left out)")
      ->capture_default_str();
  app.add_option("--top", a.top, "How many passages to print")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--model", a.model, "Folder of MiniLM's model.safetensors and tokenizer.json")
      ->capture_default_str();
  app.add_option("--index", a.index, "File that keeps the index (by default one in the user's cache folder)");
  app.add_option("--threads", a.threads, "0: every processor")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  app.add_flag("--json", a.json, "Print JSON");
}

void check_model(const fs::path& folder) {
  for (const char* name : {"model.safetensors", "tokenizer.json"})
    if (!fs::exists(folder / name))
      throw fovea::error(
          (folder / name).string() +
          ": no such file; in the source folder, fetch it with: python3 cmake/fetch_minilm.py '" +
          folder.string() + "'");
}

void tell_skipped(const std::vector<std::string>& skipped) {
  constexpr std::size_t shown = 5;
  for (std::size_t i = 0; i < std::min(shown, skipped.size()); ++i) notice("skipped " + skipped[i]);
  if (skipped.size() > shown) notice(fmt::format("skipped {} more files", skipped.size() - shown));
}

/// The index of the texts, from its file as far as it still holds, and kept there.
text_index current_index(const arguments& a, sentence_encoder& encoder) {
  const std::vector<text_file> files = find_texts(a.paths);
  const fs::path file =
      a.index.empty() ? default_index("semantic_search", a.paths, a.model).value_or(fs::path()) : a.index;
  const text_index previous = file.empty() ? text_index{} : kept_index(file, load_index, notice);

  using clock = std::chrono::steady_clock;
  double seconds = 0;
  const text_model model{
      .identity = encoder.identity(),
      .width = sentence_encoder::width,
      .pieces = [&](std::string_view word) { return encoder.pieces(word); },
      .encode = [&](std::string_view text) { return encoder.encode(text); },
      .embed =
          [&](std::span<const tokens> texts) {
            const auto start = clock::now();
            terminal::progress_bar bar("indexing", "passages", texts.size());
            bar.show(0);
            std::vector<float> vectors = encoder.embed(texts, [&](std::size_t done) { bar.show(done); });
            seconds = std::chrono::duration<double>(clock::now() - start).count();
            return vectors;
          },
  };
  index_update update = updated(previous, files, model);
  tell_skipped(update.skipped);
  if (update.embedded > 0)
    notice(fmt::format("indexed {} passages in {:.1f} s ({:.0f} a second)", update.embedded, seconds,
                       static_cast<double>(update.embedded) / seconds));
  if (update.changed && !file.empty()) keep_index(file, update.index, notice);
  return std::move(update.index);
}

std::string listed(const std::vector<fs::path>& paths) {
  std::string names;
  for (const fs::path& path : paths) names += (names.empty() ? "" : ", ") + path.string();
  return names;
}

void search(const arguments& a) {
  check_model(a.model);
  sentence_encoder encoder(a.model, a.threads);
  if (encoder.pieces(a.question) == 0) throw fovea::error("the question is empty");
  if (encoder.pieces(a.question) + 2 > sentence_encoder::longest)
    notice(fmt::format("of the question, the first {} word pieces are used", sentence_encoder::longest - 2));
  const text_index index = current_index(a, encoder);
  if (index.passages.empty()) throw fovea::error("there is no text in " + listed(a.paths));

  const std::vector<float> question = encoder.embed(std::vector<tokens>{encoder.encode(a.question)});
  const std::vector<hit> hits = nearest(index, question, a.top);
  const std::string text =
      a.json ? json_report(index, hits, a.question)
             : report(index, hits, std::clamp<std::size_t>(terminal::columns_of(stdout), 40, 100));
  program::print(text);
}

} // namespace

int main(int count, char** words) {
  return program::run<arguments>(
      "semantic_search", "Finds the passages of some texts that are nearest to a question in meaning.", count,
      words, declare, search);
}
