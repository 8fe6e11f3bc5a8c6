// Finds the pictures of a folder that are nearest to a query, in words or as a picture, by CLIP.

#include "contact_sheet.hpp"
#include "picture_index.hpp"

#include <clip/encoder.hpp>
#include <picture/canvas.hpp>
#include <program/program.hpp>
#include <semantic_search/cache.hpp>
#include <semantic_search/kept_index.hpp>
#include <terminal/terminal.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/utf8.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using namespace search_images;

struct arguments {
  fs::path model, folder, like, index, sheet;
  std::string query;
  std::size_t top = 8;
  int threads = 0;
  bool json = false;
};

void notice(const std::string& text) { program::notice("search_images", text); }

void declare(CLI::App& app, arguments& a) {
  app.add_option("MODEL_FOLDER", a.model,
                 "A CLIP as Hugging Face has it: config.json, model.safetensors, tokenizer.json, "
                 "processor_config.json or preprocessor_config.json")
      ->required();
  app.add_option("FOLDER", a.folder,
                 "Of pictures: PNG, JPEG, PPM and PGM, in its folders too (hidden files are left out)")
      ->required();
  app.add_option("QUERY", a.query, "What to look for, in words");
  app.add_option("--like", a.like, "A picture to look for, in place of words");
  app.add_option("--top", a.top, "How many pictures to print")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--picture", a.sheet, "Draw them as a contact sheet (.svg, .png)");
  app.add_option("--index", a.index, "File that keeps the index (by default one in the user's cache folder)");
  app.add_option("--threads", a.threads, "0: every processor")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  app.add_flag("--json", a.json, "Print JSON");
}

/// Changes with the weights and with how pictures are prepared.
content_hash identity_of(const fs::path& folder) {
  std::vector<file_stamp> stamps;
  for (const char* name : {"preprocessor_config.json", "processor_config.json"})
    if (fs::exists(folder / name)) stamps.push_back(semantic_search::stamp_of(folder / name));
  for (const fs::directory_entry& file : fs::directory_iterator(folder))
    if (file.path().extension() == ".safetensors") stamps.push_back(semantic_search::stamp_of(file.path()));
  std::ranges::sort(stamps, {}, [](const file_stamp& s) { return std::pair(s.size, s.modified); });
  return semantic_search::hash_of(
      {reinterpret_cast<const char*>(stamps.data()), stamps.size() * sizeof stamps[0]});
}

void tell_skipped(const index_update& update) {
  constexpr std::size_t shown = 5;
  for (std::size_t i = 0; i < std::min(shown, update.skipped.size()); ++i)
    notice("skipped " + update.skipped[i]);
  if (update.skipped.size() > shown)
    notice(fmt::format("skipped {} more pictures", update.skipped.size() - shown));
  if (update.passed_over > 0)
    notice(fmt::format("passed over what is neither PNG, JPEG, PPM nor PGM: {}", update.passed_over));
}

/// The index of the folder's pictures, from its file as far as it still holds, and kept there every few seconds.
index_update current_index(const arguments& a, clip_program::encoder& encoder) {
  constexpr std::chrono::seconds between_copies(5);
  const std::vector<fs::path> folder{a.folder};
  const auto files = semantic_search::find_texts(folder);
  const fs::path file =
      a.index.empty() ? semantic_search::default_index("search_images", folder, a.model).value_or(fs::path())
                      : a.index;
  const picture_index previous =
      file.empty() ? picture_index{} : semantic_search::kept_index(file, load_index, notice);

  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  auto kept = start;
  std::optional<terminal::progress_bar> bar(std::in_place, "indexing", "files", files.size());
  const picture_model model{
      .identity = identity_of(a.model),
      .width = encoder.width(),
      .batch = clip_program::encoder::batch,
      .readers = a.threads == 0 ? std::max(1u, std::thread::hardware_concurrency())
                                : static_cast<std::size_t>(a.threads),
      .prepare = [&](const picture::image& shown) { return encoder.prepared(shown); },
      .embed = [&](std::span<const std::vector<float>> pictures) { return encoder.of_pictures(pictures); },
      .progress =
          [&](std::size_t done, std::size_t all, const picture_index& so_far) {
            bar->show(files.size() - all + done);
            if (done == all || clock::now() - kept < between_copies || file.empty()) return;
            semantic_search::keep_index(file, so_far, notice);
            kept = clock::now();
          },
  };
  index_update update = updated(previous, files, model);
  bar.reset(); // which makes room for what is told
  tell_skipped(update);
  const double seconds = std::chrono::duration<double>(clock::now() - start).count();
  if (update.embedded > 0)
    notice(fmt::format("indexed {} pictures in {:.1f} s ({:.0f} ms each)", update.embedded, seconds,
                       1000 * seconds / static_cast<double>(update.embedded)));
  if (update.changed && !file.empty()) semantic_search::keep_index(file, update.index, notice);
  return update;
}

std::string report(const std::vector<hit>& hits, const std::string& query, bool as_json) {
  if (!as_json) {
    std::string text;
    for (const auto& [path, score] : hits)
      text += fmt::format("{:.3f}  {}\n", score, fovea::core::utf8_or_replacement(path));
    return text;
  }
  nlohmann::json list = nlohmann::json::array();
  for (const auto& [path, score] : hits)
    list.push_back({{"path", fovea::core::utf8_or_replacement(path)}, {"score", score}});
  return nlohmann::json{{"query", query}, {"pictures", list}}.dump(2) + "\n";
}

void search(const arguments& a) {
  if (a.query.empty() == a.like.empty())
    throw fovea::error("expected either a query or --like a picture (--help lists the options)");
  if (!a.sheet.empty()) picture::expect_ending(a.sheet);
  const auto encoder = clip_program::open_encoder(a.model, a.threads);
  std::vector<float> wanted;
  if (a.like.empty()) {
    wanted = encoder->of_texts({&a.query, 1});
  } else {
    const clip_program::pixels pixels = encoder->prepared(picture::read_image(a.like));
    wanted = encoder->of_pictures({&pixels, 1});
  }
  const index_update found = current_index(a, *encoder);
  const picture_index& index = found.index;
  if (index.pictures.empty())
    throw fovea::error(a.folder.string() + ": expected pictures as PNG, JPEG, PPM or PGM, found none");
  const std::string query =
      fovea::core::utf8_or_replacement(a.like.empty() ? a.query : "like " + a.like.string());
  const std::vector<hit> hits = nearest(index, wanted, a.top);
  program::print(report(hits, query, a.json));
  if (!a.sheet.empty()) draw(hits, query, a.sheet);
  if (!found.skipped.empty())
    throw fovea::error(fmt::format("{} of the folder's pictures could not be read", found.skipped.size()));
}

} // namespace

int main(int count, char** words) {
  return program::run<arguments>("search_images",
                                 "Finds the pictures of a folder that are nearest to a query.", count, words,
                                 declare, search);
}
